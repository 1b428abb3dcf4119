"""An answer that is cut off at any byte: whoever asks again under the same key has one effect, and the whole answer."""

import json
import socket
import struct
from http.client import HTTPConnection
from time import sleep
from urllib.parse import urlsplit

import pytest
from django.db.models import F

from tests.actions.world import space_of
from tests.intake.asking import API, Agent, problem, token_of
from tests.makers import fact
from trustmem.core.instants import span
from trustmem.intake import limits
from trustmem.store.models import Answered, Fact, Line, Space

pytestmark = pytest.mark.django_db(transaction=True)

#: Closed so, a connection is reset at once: what is still to come is sent to nobody.
_AT_ONCE = struct.pack("ii", 1, 0)


@pytest.fixture
def space(monkeypatch) -> Space:
    monkeypatch.setitem(limits.LIMITS, "write", 10_000)
    return space_of(fact("tea"))


class Torn:
    """An agent who says something under a key, at a desk that listens."""

    def __init__(self, desk: str, token: str, number: int) -> None:
        self.text = f"Entry {number * 7919} of the harbour book, no. {number}."
        self.at, self.body = urlsplit(desk), json.dumps({"text": self.text}).encode()
        self.headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": f"k{number}"}
        self.headers["Content-Type"] = "application/json"

    def read(self, most: int) -> bytes:
        """The first bytes of the answer, so many at most, after which the connection is cut."""
        said = self.headers | {"Host": self.at.netloc, "Content-Length": str(len(self.body)), "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        read = b""
        with socket.create_connection((self.at.hostname, self.at.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            connection.sendall(f"POST {API}/facts HTTP/1.1\r\n{head}\r\n".encode() + self.body)
            while len(read) < most and (came := connection.recv(most - len(read))):
                read += came
        return read

    def again(self):
        """The answer to the same once more: whoever is still being heard is waited for."""
        while True:
            connection = HTTPConnection(self.at.hostname, self.at.port)
            connection.request("POST", f"{API}/facts", self.body, self.headers)
            answer = connection.getresponse()
            read = answer.read()
            connection.close()
            if answer.status != 409:
                return answer, read
            sleep(0.01)


def test_where_the_answer_is_cut_off_at_any_byte_asking_again_has_one_effect_and_the_same_answer(space, live_server):
    token = token_of(space)
    whole = Torn(live_server.url, token, 0).read(1 << 16)
    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 201 ") and json.loads(body)["status"] == "new"
    of_head = {0, 1, 8, 9, 12, len(head) // 2, len(head) - 1, *range(len(head), len(head) + 5)}
    for number, most in enumerate([*sorted(of_head), *range(len(head) + 5, len(whole) + 1)], start=1):
        torn = Torn(live_server.url, token, number)
        read = torn.read(most)
        assert len(read) == most
        answer, told = torn.again()
        begun, _, part = read.partition(b"\r\n\r\n")
        assert answer.status == 201 and b"HTTP/1.1 201 Created".startswith(begun.split(b"\r\n")[0])
        assert told.startswith(part)
        # Cut off before anything was read, the first may not have been heard: then this is the answer to it.
        assert answer.headers["Idempotency-Replayed"] == "true" or not most
        assert json.loads(told)["status"] == "new"
        assert Fact.objects.get(text=torn.text).name == json.loads(told)["fact"]
    assert part == told  # the last was cut off when it was whole
    assert Line.objects.filter(tag="fact").count() == 2 + number


def test_a_key_holds_for_a_day_to_the_microsecond_and_then_the_same_is_heard_anew(space, monkeypatch):
    bot, body = Agent(token_of(space)), {"text": "The harbour opens at six."}
    first = bot.post("/facts", body, **{"Idempotency-Key": "k"})
    instant = Answered.objects.get().at + span(1)
    monkeypatch.setattr("trustmem.intake.rest.api.clock", lambda: instant)
    again = bot.post("/facts", body, **{"Idempotency-Key": "k"})
    assert (again["Idempotency-Replayed"], again.content) == ("true", first.content)
    Answered.objects.update(at=F("at") - 1)
    later = bot.post("/facts", body, **{"Idempotency-Key": "k"})
    assert (later.status_code, later.get("Idempotency-Replayed"), later.json()["status"]) == (200, None, "restated")
    assert Fact.objects.filter(text=body["text"]).count() == 1


def test_of_a_torn_answer_neither_another_body_nor_another_token_has_anything(space, live_server):
    torn = Torn(live_server.url, token := token_of(space), 1)
    torn.read(20)
    other = Agent(token).post("/facts", {"text": "The lamp is lit."}, **{"Idempotency-Key": "k1"})
    assert problem(other, 422) == '"Idempotency-Key" was used for another request'
    of_ben = Agent(token_of(space, "ben")).post("/facts", {"text": torn.text}, **{"Idempotency-Key": "k1"})
    assert (of_ben.get("Idempotency-Replayed"), of_ben.json()["status"]) == (None, "restated")
    answer, _ = torn.again()
    assert (answer.status, answer.headers["Idempotency-Replayed"]) == (201, "true")
    assert Fact.objects.filter(text=torn.text).count() == 1
