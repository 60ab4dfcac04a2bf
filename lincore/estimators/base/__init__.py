"""The fit from moments, scores, class weights and validation that all classifiers share."""
