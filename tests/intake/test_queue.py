"""A queue that cannot be is told in a sentence before anything is begun."""

import pytest


@pytest.mark.parametrize("command", ["serve", "worker", "beat"])
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"BROKER_URL": "amqp://ana:secret@host/"},
            "BROKER_URL has to begin with redis:// or rediss:// or redis+socket://",
        ),
        ({"BROKER_URL": "redis://:secret@host:soon/0"}, "BROKER_URL has a port that is no number"),
        (
            {"BROKER_URL": "redis://127.0.0.1:1/0", "BROKER_VISIBILITY_TIMEOUT": "soon"},
            "BROKER_VISIBILITY_TIMEOUT is no whole number of seconds",
        ),
    ],
)
def test_what_the_environment_names_is_looked_at_first(home, command: str, settings: dict, sentence: str) -> None:
    home.environment |= settings
    done = home(command)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"trustmem: {sentence}\n")
