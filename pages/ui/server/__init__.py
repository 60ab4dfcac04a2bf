"""The server around the scripts: middleware, preloading, the queue of script runs."""
