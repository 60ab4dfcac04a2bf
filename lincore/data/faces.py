"""Synthetic faces of three persons, one of them rare: a bundled image sample."""

from __future__ import annotations

import numpy as np

from lincore.data.dataset import Dataset
from lincore.data.frames import pixel_names
from lincore.utils.typing import Array

SIDE = 32
PERSONS = ("Ada", "Ben", "Cleo")
#: Images of each person.
SIZES = (160, 160, 40)
# For each person: half-width and half-height of the head, hairline, half-distance of the eyes,
# half-width of the mouth, weight of the brows, grey level of hair and skin (0 black to 1 white).
_FEATURES = np.array(
    [
        [0.56, 0.78, -0.42, 0.25, 0.24, 0.30, 0.16, 0.74],
        [0.63, 0.76, -0.36, 0.28, 0.29, 0.50, 0.24, 0.68],
        [0.59, 0.80, -0.39, 0.27, 0.26, 0.40, 0.20, 0.71],
    ]
)


def faces(seed: int = 0) -> Dataset:
    """Draw grey images of three persons with varying pose, smile and lighting."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(SIZES)), SIZES)
    images = _draw(_FEATURES[codes] * rng.normal(1, 0.04, (len(codes), 8)), rng)
    X = np.rint(255 * images).astype(np.uint8).reshape(len(codes), -1)
    return Dataset(
        "faces", X, codes, np.array(PERSONS), pixel_names(SIDE, SIDE), image_shape=(SIDE, SIDE)
    )


def _draw(features: Array, rng: np.random.Generator) -> Array:
    """Return images (n, SIDE, SIDE) between 0 and 1 of heads with the given features (n, 8)."""
    n = len(features)
    u, v = _coordinates(n, rng)
    width, height, hairline, eyes, mouth, brows, hair, skin = features.T[:, :, None, None]
    head = _inside(np.hypot(u / width, v / height))
    light = 1 + rng.normal(0, 0.16, (n, 1, 1)) * u + rng.normal(0, 0.08, (n, 1, 1)) * v
    face = skin * light * (1 - 0.25 * np.clip(np.hypot(u / width, v / height), 0, 1) ** 3)
    top = _inside(1 + 4 * (v - hairline + 0.25 * (u / width) ** 2))
    image = 0.5 * (1 - head) + head * (face * (1 - top) + hair * top)
    open_, smile = rng.uniform(0.6, 1.2, (n, 1, 1)), rng.normal(0, 0.06, (n, 1, 1))
    for side in (-1, 1):
        image -= 0.45 * _blob(u - side * eyes, v + 0.12, 0.085, 0.055 * open_)
        image -= brows * 0.7 * _blob(u - side * eyes, v + 0.27, 0.13, 0.035)
    image -= 0.16 * _blob(u - 0.05 * rng.normal(0, 1, (n, 1, 1)), v - 0.12, 0.055, 0.14)
    image -= 0.34 * _blob(u, v - 0.40 + smile * (u / mouth) ** 2, 0.62 * mouth, 0.05)
    return np.clip(image + rng.normal(0, 0.025, image.shape), 0, 1)


def _coordinates(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the position of each pixel of each image on its head, across and down."""
    grid = np.linspace(-1, 1, SIDE)
    turn, scale = rng.normal(0, 0.09, (n, 1, 1)), rng.normal(0.88, 0.04, (n, 1, 1))
    u = grid[None, None, :] - rng.normal(0, 0.05, (n, 1, 1))
    v = grid[None, :, None] - rng.normal(0, 0.05, (n, 1, 1))
    cosine, sine = np.cos(turn), np.sin(turn)
    return scale * (cosine * u + sine * v), scale * (cosine * v - sine * u)


def _inside(radius: Array) -> Array:
    """Return 1 well inside radius 1 and 0 well outside."""
    return 1 / (1 + np.exp(np.clip(18 * (radius - 1), -40, 40)))


def _blob(u: Array, v: Array, across: Array | float, down: Array | float) -> Array:
    return np.exp(-0.5 * ((u / across) ** 2 + (v / down) ** 2))
