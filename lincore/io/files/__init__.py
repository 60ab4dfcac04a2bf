"""Bytes of a path, an archive or a stream, within limits."""
