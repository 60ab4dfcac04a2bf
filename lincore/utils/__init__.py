"""Threads, captured warnings, BLAS, lazy mappings, text that is safe for spreadsheets."""
