"""Long work: executor, registry, progress, shared results."""
