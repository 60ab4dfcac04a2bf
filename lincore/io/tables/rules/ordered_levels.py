"""The levels of a scale, such as low, medium, high, become numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from lincore.io.tables.text.column_assignment import require_columns, with_columns

# Questionnaire scales: each from lowest to highest, with synonyms after "=".
# fmt: off
_SCALES = tuple(
    tuple(level.split("=") for level in scale.split(" < "))
    for scale in (
        "strongly disagree=disagree strongly=completely disagree=totally disagree < disagree"
        "=somewhat disagree < slightly disagree < neutral=neither agree nor disagree=undecided"
        "=neither < slightly agree < agree=somewhat agree < strongly agree=agree strongly"
        "=completely agree=totally agree",
        "very dissatisfied < dissatisfied=unsatisfied < neutral=neither satisfied nor dissatisfied"
        " < satisfied < very satisfied",
        "very unlikely < unlikely < neutral < likely < very likely",
        "very unimportant=not at all important=not important < unimportant=slightly important"
        " < neutral=moderately important < important < very important < extremely important",
        "never < rarely=seldom < sometimes=occasionally < often=frequently < very often"
        " < always",
        "very low < low < medium=moderate=middle < high < very high",
        "very bad=very poor < bad=poor < fair=average=neutral < good < very good < excellent",
        "not at all=none < slightly=a little=a little bit=mild < somewhat=moderately=moderate"
        " < very=quite a bit=very much=severe < extremely=a lot",
        "very small < small < medium < large=big < very large",
        "stimme überhaupt nicht zu=stimme gar nicht zu=trifft nicht zu < stimme nicht zu"
        "=stimme eher nicht zu=trifft eher nicht zu < neutral=weder noch=teils/teils=teils teils"
        " < stimme eher zu=trifft eher zu=stimme zu < stimme voll zu=stimme voll und ganz zu"
        "=trifft zu",
        "nie=niemals < selten < manchmal=gelegentlich < oft=häufig < immer",
        "sehr schlecht < schlecht < mittel=mittelmäßig < gut < sehr gut",
        "sehr niedrig < niedrig=gering < mittel < hoch < sehr hoch",
        "jamais < rarement < parfois=quelquefois < souvent < toujours",
        "pas du tout d'accord < pas d'accord < neutre=ni d'accord ni pas d'accord < d'accord"
        " < tout à fait d'accord",
        "nunca < raramente=rara vez < a veces < a menudo=frecuentemente < siempre",
        "bajo < medio < alto",
    )
)
# fmt: on
_FEWEST = 3


def find_order(levels: Iterable[str]) -> tuple[str, ...]:
    """Return levels in the order of their scale; empty if they match no scale."""
    known = {" ".join(level.casefold().split()): level for level in levels}
    if len(known) < _FEWEST:
        return ()
    for scale in _SCALES:
        place = {word: i for i, words in enumerate(scale) for word in words}
        if known.keys() <= place.keys() and len({place[word] for word in known}) == len(known):
            return tuple(known[word] for word in sorted(known, key=place.__getitem__))
    return ()


def with_ordered(frame: pd.DataFrame, ordered: Mapping[str, Sequence[str]] | None) -> pd.DataFrame:
    """Return the frame with the levels of some columns as numbers from 1, in the given order."""
    if not ordered:
        return frame
    require_columns(frame, ordered, "ordered")
    found = {
        name: frame[name].map({level: float(i) for i, level in enumerate(levels, 1)})
        for name, levels in ordered.items()
    }
    return with_columns(frame, found)
