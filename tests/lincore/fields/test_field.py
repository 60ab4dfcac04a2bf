"""Options as fields: what is refused at the doors, and what follows from a field."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Literal

import pytest

from lincore import DataError
from lincore.fields import Field, call_text, checked, choice_of, given, options


def _colours(so_far):
    return {"r": "red", "g": "green"} if so_far.many else {"r": "red"}


def _first(so_far):
    return "r"


@dataclass(frozen=True)
class Asked:
    """Options of every kind."""

    share: Annotated[float, Field("Share", low=0, high=1)] = 0.5
    colour: Annotated[str, Field("Colour", choices=_colours, auto=_first)] | None = None
    scheme: Annotated[
        str,
        Field(
            "Scheme", pattern=r"holdout|\d+-fold", wanted="holdout or 5-fold", choices=("5-fold",)
        ),
    ] = "holdout"
    how: Annotated[Literal["up", "down"], Field("How")] = "up"
    names: Annotated[tuple[str, ...], Field("Names", longest=2)] = ()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"share": 1.5}, "share: It is 1.5. Give a number from 0 to 1."),
        ({"share": float("nan")}, "share: It is nan. Give a number."),
        ({"share": "much"}, "share: It is 'much'. Give a number."),
        ({"colour": "g"}, "colour: It is 'g'. Choose from: r."),
        ({"scheme": "5-folds"}, "scheme: It is '5-folds'. Give holdout or 5-fold."),
        ({"how": "left"}, "how: It is 'left'. Give one of: up, down."),
        ({"names": ["a", "b", "c"]}, "names: It has 3 items. Give at most 2."),
        ({"size": 1}, "size: There is no such option."),
    ],
)
def test_what_is_not_possible_is_refused_with_place_value_and_remedy(raw, said):
    with pytest.raises(DataError) as caught:
        checked(Asked, raw, many=False)
    assert str(caught.value).startswith(said)


def test_what_is_possible_depends_on_the_context_and_a_pattern_makes_choices_suggestions():
    raw = {"colour": "g", "scheme": "7-fold", "share": 1.0}
    assert checked(Asked, raw, many=True) == raw


def test_nan_is_within_no_bounds():
    (share,) = (option for option in options(Asked) if option.name == "share")
    assert share.fits(1.0, None) and not share.fits(float("nan"), None)


def test_a_call_names_what_differs_from_the_defaults():
    asked = Asked(share=0.25, names=("a",))
    assert given(asked) == {"share": 0.25, "names": ("a",)}
    assert call_text(asked, "ask", "data") == 'ask(data, share=0.25, names=("a",))'


@dataclass(frozen=True)
class Spot:
    """A value with parts."""

    x: float = 0.0


@dataclass(frozen=True)
class Placed:
    """A record as one of the choices, and a value for each choice."""

    spot: (
        Annotated[
            Literal["left"] | Spot,
            Field("Spot", choices=lambda so_far: ("left", "Spot") if so_far.many else ("left",)),
        ]
        | None
    ) = None
    size: Annotated[int, Field("Size", per=("spot",))] = 1


def test_a_record_is_chosen_by_the_name_of_its_type():
    spot, _ = options(Placed)
    assert dict(spot.records) == {"Spot": Spot} and spot.words == ("left",)
    assert (choice_of(Spot(2.0)), choice_of("left"), choice_of(None)) == ("Spot", "left", None)
    many, few = SimpleNamespace(many=True), SimpleNamespace(many=False)
    assert spot.fits(Spot(2.0), many) and not spot.fits(Spot(2.0), few)
    assert spot.fits("left", few) and not spot.fits("right", many)


def test_an_option_has_a_place_for_each_value_of_others():
    spot, size = options(Placed)
    assert spot.settings_key(SimpleNamespace(spot="left")) == "spot"
    assert size.settings_key(SimpleNamespace(spot="left")) == "size.left"
