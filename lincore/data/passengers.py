"""A synthetic passenger list: mixed columns, missing values and a rare class."""

from __future__ import annotations

import numpy as np

ROWS = 900
COLUMNS = ("cabin class", "sex", "age", "relatives", "fare", "port", "deck", "survived")


def passengers_csv(seed: int = 0) -> bytes:
    """Return the fictitious passengers of a ship that sank, as a CSV file."""
    # Many ages and decks are missing, and about one in five survives: more among women, the young
    # and the first class.
    rng = np.random.default_rng(seed)
    cabin = rng.choice(3, ROWS, p=[0.2, 0.25, 0.55])
    is_woman = rng.random(ROWS) < np.array([0.45, 0.4, 0.3])[cabin]
    age = np.clip(rng.gamma(5, 1, ROWS) * np.array([7.6, 6.2, 5.2])[cabin], 1, 80).round()
    relatives = rng.poisson(0.8 + 0.9 * (age < 14))
    fare = np.exp(rng.normal(np.array([4.0, 2.9, 2.3])[cabin], 0.45)) * (1 + 0.3 * relatives)
    port = rng.choice(["Southampton", "Cherbourg", "Queenstown"], ROWS, p=[0.7, 0.2, 0.1])
    deck = np.array([list("ABCDE"), list("DEFDE"), list("EFGFG")])[
        cabin, rng.integers(5, size=ROWS)
    ]
    score = -3.3 + 2.4 * is_woman + np.array([1.7, 0.8, 0.0])[cabin] - 0.035 * (age - 28)
    survived = rng.random(ROWS) < 1 / (1 + np.exp(-score))
    known_age = rng.random(ROWS) > np.where(cabin == 2, 0.25, 0.1)
    known_deck = rng.random(ROWS) < np.array([0.85, 0.2, 0.05])[cabin]
    columns = (
        np.array(["first", "second", "third"])[cabin],
        np.where(is_woman, "female", "male"),
        np.where(known_age, age.astype(int).astype(str), ""),
        relatives,
        np.char.mod("%.2f", fare),
        port,
        np.where(known_deck, deck, ""),
        np.where(survived, "yes", "no"),
    )
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return "\n".join([",".join(COLUMNS), *rows, ""]).encode()
