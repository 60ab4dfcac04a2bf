"""Methods and their options, splitters, pipelines, the engine that fits, and comparisons."""
