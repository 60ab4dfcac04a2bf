"""`python -m lincore`: the command line."""

import sys

from lincore.cli import main

if __name__ == "__main__":
    sys.exit(main())
