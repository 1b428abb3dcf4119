"""Several at once at the doors for agents: what comes of it is what one after the other had come to."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.http import JsonResponse
from django.test import RequestFactory

from tests.actions.world import LATER, space_of
from tests.intake.asking import Agent, token_of
from tests.makers import fact
from trustmem.actions import agents, tokens
from trustmem.actions.errors import Refusal
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.intake.rest.idempotency import once
from trustmem.intake.rest.problems import Problem
from trustmem.store.models import Answered, Fact, Line, Space, Token, Touch

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


def at_once(*deeds):
    """What each of some deeds comes to, all begun at one moment."""
    ready = Barrier(len(deeds))

    def do(deed):
        ready.wait()
        try:
            return deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(do, deeds))


@pytest.mark.parametrize("round", range(5))
def test_who_say_the_same_at_once_make_one_fact(space, round):
    token, text = token_of(space), "The harbour opens at six."
    those = [Agent(token) for _ in range(6)]
    answers = at_once(*(lambda each=each: each.post("/facts", {"text": text}).json() for each in those))
    assert sorted(each["status"] for each in answers) == ["new", *["restated"] * 5]
    assert len({each["fact"] for each in answers}) == 1
    assert Fact.objects.filter(text=text).count() == 1
    assert Touch.objects.filter(fact__text=text).count() == 1


def test_of_a_token_that_ends_amid_requests_each_is_answered_whole_or_not_at_all(space):
    token = token_of(space)
    pk = Token.objects.get().pk

    def say(place):
        def ask():
            told = [Agent(token).post("/facts", {"text": f"Entry {place * 97 + n * 13}: berth {n}."}) for n in range(8)]
            return [each.status_code for each in told]

        return ask

    *answers, _ = at_once(
        *(say(place) for place in range(4)), lambda: tokens.revoke(space, pk, by="ana", now=LATER + 1)
    )
    flat = [status for each in answers for status in each]
    assert set(flat) <= {201, 200, 401}
    assert Line.objects.filter(tag="fact").count() == 1 + flat.count(201)
    for each in answers:  # once it has ended, it has
        assert 401 not in each or set(each[each.index(401) :]) == {401}
    assert Agent(token).get("/facts").status_code == 401


def test_of_two_who_rotate_a_token_at_once_one_does(space):
    token_of(space)
    pk = Token.objects.get().pk

    def rotate():
        try:
            return tokens.rotate(space, pk, by="ana", now=LATER + 1)[1]
        except Refusal:
            return None

    for _ in range(3):
        shown = [each for each in at_once(rotate, rotate, rotate) if each]
        assert len(shown) == 1
        standing = Token.objects.filter(revoked_at__lt=0)
        assert [each.pk for each in standing] == [tokens.who(shown[0], now=LATER + 2).pk]
        pk = standing.get().pk


def killed_at(step, token, body):
    """Somebody asks under a key, and the process dies before its so many-th statement: True; or it gets to the end."""
    connection.close()
    child = os.fork()
    if not child:
        seen = 0

        def count(execute, sql, params, many, context):
            nonlocal seen
            seen += 1
            if seen == step:
                os._exit(9)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(count):
            status = Agent(token).post("/facts", body, **{"Idempotency-Key": "k"}).status_code
        os._exit(0 if status == 201 else 1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, 9)
    return ended == 9


def test_who_is_killed_between_effect_and_answer_has_one_effect_when_they_come_again(space):
    token, step, seen = token_of(space), 1, set()
    while True:
        body = {"text": f"Entry {step * 7919} of the harbour book, no. {step}."}
        is_killed = killed_at(step, token, body)
        was_done = Fact.objects.filter(text=body["text"]).count()
        again = Agent(token).post("/facts", body, **{"Idempotency-Key": "k"})
        seen.add((was_done, again.status_code, again.get("Idempotency-Replayed")))
        if was_done:
            # The answer was kept with the effect.
            assert (again.status_code, again["Idempotency-Replayed"]) == (201, "true")
        elif again.status_code == 409:
            # It began, and nobody knows yet that it is gone: in two minutes they do.
            Answered.objects.update(at=Answered.objects.get().at - 121 * MICROSECONDS_PER_SECOND)
            again = Agent(token).post("/facts", body, **{"Idempotency-Key": "k"})
            assert again.status_code == 201
        assert Fact.objects.filter(text=body["text"]).count() == 1
        assert json.loads(Answered.objects.get().body) == again.json()
        Answered.objects.all().delete()
        if not is_killed:
            break
        step += 3
    assert {(0, 201, None), (0, 409, None), (1, 201, "true")} <= seen


def test_who_took_so_long_that_another_began_does_nothing(space):
    token_of(space)
    request, token = RequestFactory(headers={"Idempotency-Key": "k"}).post("/"), Token.objects.get()

    def slow():
        told = agents.remember(Speaker(space, "bot"), {"text": "The harbour opens at six."}, now=LATER)
        Answered.objects.all().delete()  # as somebody does who takes it to be gone
        return JsonResponse({"fact": told.fact})

    with pytest.raises(Problem, match="another request under this key took its place"):
        once(request, token, LATER, slow)
    assert Fact.objects.count() == 1
