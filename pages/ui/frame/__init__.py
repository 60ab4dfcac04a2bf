"""The frame of every page: chips, data checks, sidebar, uploads, Share and Export."""
