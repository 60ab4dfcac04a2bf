"""Count, mean and scatter of groups of rows: accumulated block by block, merged, stacked."""
