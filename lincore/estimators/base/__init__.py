"""Fitting from moments, scores, class weights and validation, shared by all classifiers."""
