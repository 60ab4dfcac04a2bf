"""The three icons that judge: only findings have them, and no page gives them another meaning."""

FINE = ":material/check:"
DECIDE = ":material/contact_support:"  # please decide
WRONG = ":material/error:"  # results are wrong if it is ignored
