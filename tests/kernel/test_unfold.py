"""Events and what they set off."""

import pytest

from domain.play.unfold import EndlessReactions, Unfolded, Unfolding


def unfolding(react, cap=50):
    return Unfolding("", lambda state, event: state + event, react, cap)


def test_reactions_come_before_what_the_caller_does_next():
    flow = unfolding(lambda flow, event: {"a": "xy", "x": "p"}.get(event, ""))
    flow.happen("a")
    flow.happen("b")

    assert ["a", "x", "y", "p", "b"] == flow.events
    assert "axypb" == flow.state


def test_a_reaction_sees_the_state_after_its_event():
    seen = []
    flow = unfolding(lambda flow, event: seen.append(flow.state) or ())
    flow.happen("a", "b")

    assert ["a", "ab"] == seen


def test_what_happens_within_a_reaction_waits_for_its_turn():
    def react(flow, event):
        if event == "a":
            flow.happen("n")
            assert "a" == flow.state, "it has not happened yet"
        return ()

    flow = unfolding(react)
    flow.happen("a", "b")

    assert ["a", "b", "n"] == flow.events


def test_endless_reactions_are_stopped():
    flow = unfolding(lambda flow, event: "a")
    with pytest.raises(EndlessReactions, match="more than 50"):
        flow.happen("a")


def test_as_many_events_as_the_cap_allows_may_happen():
    flow = unfolding(lambda flow, event: "a" if len(flow.events) < 50 else "")
    flow.happen("a")

    assert 50 == len(flow.events)
    with pytest.raises(EndlessReactions, match="more than 2000"):
        Unfolding("", lambda state, event: event, lambda flow, event: "a").happen("a")


def test_after_the_last_event_nothing_happens_any_more():
    def ends(state):
        return "!" if "b" in state else None

    flow = Unfolding("", lambda state, event: state + event, lambda flow, event: {"a": "bc"}.get(event, ""), ends=ends)
    flow.happen("a", "d")
    flow.happen("e")

    assert flow.over
    assert ["a", "d", "b", "!"] == flow.events
    assert "adb!" == flow.state


def test_what_happens_together_is_one_event_to_the_end_with_all_that_it_sets_off():
    def ends(state):
        return "!" if "b" in state else None

    flow = Unfolding("", lambda state, event: state + event, lambda flow, event: {"b": "r"}.get(event, ""), ends=ends)
    with flow.together():
        flow.happen("a", "b")
        with flow.together():
            flow.happen("c")
        flow.happen("d")
    flow.happen("e")

    assert ["a", "b", "r", "c", "d", "!"] == flow.events


def test_a_refusal_among_what_happens_together_looks_for_no_end():
    flow = Unfolding("", lambda state, event: state + event, ends=lambda state: "!")
    with pytest.raises(KeyError), flow.together():
        raise KeyError
    assert [] == flow.events
    flow.happen("a")
    assert ["a", "!"] == flow.events


def test_what_has_unfolded_says_what_it_came_to_and_what_is_made_of_it_does_not():
    flow = unfolding(lambda flow, event: {"a": "x"}.get(event, ""))
    flow.happen("a", "b")
    told = flow.unfolded
    flow.happen("c")

    assert (("a", "b", "x"), "abx") == (told, told.state)
    assert not isinstance(told[1:], Unfolded)
    assert not isinstance((*told, "d"), Unfolded)
