"""Events and their reactions."""

import pytest

from domain.kernel.unfold import EndlessReactions, Unfolded, Unfolding


def unfolding(react, cap=50):
    return Unfolding("", lambda state, event: state + event, react, cap)


def test_reactions_run_before_the_callers_next_event():
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


def test_event_raised_within_a_reaction_is_queued():
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


def test_event_count_may_reach_the_cap():
    flow = unfolding(lambda flow, event: "a" if len(flow.events) < 50 else "")
    flow.happen("a")

    assert 50 == len(flow.events)
    with pytest.raises(EndlessReactions, match="more than 2000"):
        Unfolding("", lambda state, event: event, lambda flow, event: "a").happen("a")


def test_no_event_happens_after_the_end():
    def ends(state):
        return "!" if "b" in state else None

    flow = Unfolding("", lambda state, event: state + event, lambda flow, event: {"a": "bc"}.get(event, ""), ends=ends)
    flow.happen("a", "d")
    flow.happen("e")

    assert flow.over
    assert ["a", "d", "b", "!"] == flow.events
    assert "adb!" == flow.state


def test_end_is_checked_after_a_whole_group_of_events_and_its_reactions():
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


def test_exception_within_a_group_of_events_does_not_check_for_the_end():
    flow = Unfolding("", lambda state, event: state + event, ends=lambda state: "!")
    with pytest.raises(KeyError), flow.together():
        raise KeyError
    assert [] == flow.events
    flow.happen("a")
    assert ["a", "!"] == flow.events


def test_unfolded_events_carry_their_state_and_tuples_derived_from_them_do_not():
    flow = unfolding(lambda flow, event: {"a": "x"}.get(event, ""))
    flow.happen("a", "b")
    told = flow.unfolded
    flow.happen("c")

    assert (("a", "b", "x"), "abx") == (told, told.state)
    assert not isinstance(told[1:], Unfolded)
    assert not isinstance((*told, "d"), Unfolded)
