"""The column that is associated most is described, not claimed to separate the classes."""

from lincore.inspection.association import Association
from lincore.report.exploration import association_finding


def test_the_largest_association_is_a_description():
    said = association_finding([Association(0, "x", "eta", 0.14)], 2, "kind")
    assert said == "x has the largest association with kind (η = 0.14)."
