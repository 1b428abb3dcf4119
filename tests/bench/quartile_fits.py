"""What a quartile fit makes of real histories: bands and freshness under the defaults and under the fit.

    python tests/bench/quartile_fits.py [name ...]

Each history is taken in with a pass a week, and looked at as it stood at its last line. The histories are no part of
the project: TRUSTMEM_DATA names their folder. It prints the rows of the table in docs/calibration.md.
"""

import gzip
import json
import os
import sys
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

NAMES = ("endoflife", "factbook", "public-apis")
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("TRUSTMEM_DATA") or ROOT.parent / "shared" / "data") / "interchange"


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TRUSTMEM_HOME": folder, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        sys.path.insert(0, str(ROOT))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for name in names:
            print("\n".join(rows(name)), flush=True)


def rows(name: str) -> list[str]:
    """Two rows of the table: a history under the defaults, and under the fit."""
    import numpy as np

    from trustmem.actions import imports, spaces
    from trustmem.core.calibration import fit_quartiles
    from trustmem.core.constants import changed
    from trustmem.core.instants import from_datetime, span
    from trustmem.core.scores import score
    from trustmem.core.vocabulary import BANDS, LIVE
    from trustmem.store import queries

    raw = gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines(keepends=True)
    now = max(from_datetime(datetime.fromisoformat(json.loads(line)["at"])) for line in raw)
    space = spaces.create(name)
    imports.import_lines(space, raw, file=name, by="bench", now=now, every=span(7))
    stored = queries.stored(space)
    before = score(stored, now)
    live = before.state == LIVE
    fit = fit_quartiles(before.activation[live])
    after = score(replace(stored, constants=changed(stored.constants, fit._asdict())), now)
    told = []
    for what, constants, scores in (("defaults", stored.constants, before), ("fit", fit, after)):
        quartiles = np.nanquantile(scores.freshness[live & ~np.isnan(scores.activation)], [0.25, 0.5, 0.75])
        bands = np.bincount(scores.band[live], minlength=len(BANDS))
        numbers = [f"{constants.activation_midpoint:.2f}", f"{constants.activation_scale:.2f}"]
        told.append(
            f"| {name} | {what} | {int(live.sum())} | {' | '.join(numbers)} "
            f"| {' · '.join(f'{each:.2f}' for each in quartiles)} | {' | '.join(map(str, bands))} |"
        )
    return told


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
