"""Samples hold what scikit-learn holds; what cannot be downloaded says why."""

from __future__ import annotations

import urllib.request
from urllib.error import URLError

import numpy as np
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from lincore import DataError
from lincore.io import DOWNLOADS, SAMPLE_TABLES, SAMPLES, fetch_dataset, sample


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_complete_and_the_same_again(name):
    data = sample(name)
    assert data.name == name
    assert len(data.feature_names) == data.n_features
    assert data.counts.min() >= 2
    assert data.has_missing == (name in SAMPLE_TABLES)
    assert sample(name).digest == data.digest


@pytest.mark.parametrize(
    ("name", "loader"),
    [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
    ],
)
def test_rows_keep_their_names_of_classes(name, loader):
    bunch = loader()
    data = sample(name)
    np.testing.assert_array_equal(data.X, bunch.data)
    np.testing.assert_array_equal(data.y, bunch.target_names[bunch.target])
    assert data.classes.tolist() == sorted(data.classes)


def test_digits_are_grey_levels_in_proportion():
    data = sample("digits")
    bunch = datasets.load_digits()
    assert data.X.dtype == np.uint8
    assert data.image_shape == (8, 8)
    assert data.classes.tolist() == list(range(10))
    np.testing.assert_array_equal(data.X / 15, bunch.data)
    np.testing.assert_array_equal(data.y, bunch.target)


def test_an_unknown_sample_is_told_the_known():
    with pytest.raises(DataError, match="Choose one of: passengers, faces"):
        sample("irises")


def test_an_unknown_download_is_told_the_known():
    with pytest.raises(DataError, match="Choose one of: olivetti faces, mnist, fashion mnist"):
        fetch_dataset("olivetti")


@pytest.fixture
def empty_home(monkeypatch, tmp_path):
    """Give scikit-learn a data folder without downloads."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", DOWNLOADS)
def test_without_a_network_the_message_says_so(name, monkeypatch, empty_home):
    waited = []

    def refuse(request, timeout):
        waited.append(timeout)
        raise URLError("Network is unreachable")

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    with pytest.raises(DataError, match="Network is unreachable") as caught:
        fetch_dataset(name)
    assert "network" in caught.value.notice.remedy
    assert max(waited) < 10


def test_faces_are_read_from_what_was_downloaded(monkeypatch, empty_home):
    (empty_home / "olivetti_py3.pkz").write_bytes(b"here already")
    grey = np.arange(400 * 4096).reshape(400, 4096) % 256
    bunch = Bunch(data=(grey / 255).astype(np.float32), target=np.repeat(np.arange(40), 10))
    monkeypatch.setattr(datasets, "fetch_olivetti_faces", lambda **_: bunch)
    data = fetch_dataset("olivetti faces")
    np.testing.assert_array_equal(data.X, grey)
    assert (data.X.dtype, data.image_shape, data.n_classes) == (np.uint8, (64, 64), 40)
    assert data.given_test is None


def test_the_last_ten_thousand_digits_are_for_testing(monkeypatch, empty_home):
    stored = empty_home / "openml" / "api.openml.org" / "data_v1" / "554.gz"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"here already")
    asked = []

    def fetched(**options):
        asked.append(options["data_id"])
        labels = (np.arange(70_000) % 10).astype(str).astype(object)
        return Bunch(data=np.full((70_000, 4), 255.0), target=labels)

    monkeypatch.setattr(datasets, "fetch_openml", fetched)
    data = fetch_dataset("mnist")
    assert asked == [554]
    assert data.classes.tolist() == list(range(10))
    assert np.flatnonzero(data.given_test)[[0, -1]].tolist() == [60_000, 69_999]
    assert (data.image_shape, int(data.X.min())) == ((2, 2), 255)


def test_what_breaks_on_the_way_is_told(monkeypatch, empty_home):
    (empty_home / "olivetti_py3.pkz").write_bytes(b"here already")
    with pytest.raises(DataError, match="cannot be downloaded"):
        fetch_dataset("olivetti faces")
