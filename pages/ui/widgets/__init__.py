"""Controls, tables, text and selections that pages share."""
