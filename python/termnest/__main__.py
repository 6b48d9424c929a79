"""`python -m termnest` is the command `termnest`."""

import sys

from termnest.cli import main

if __name__ == "__main__":
    sys.exit(main())
