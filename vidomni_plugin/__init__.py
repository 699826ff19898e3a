"""VidOmni-Bench and VidHalLoc for lmms-eval.

Importing this package reads no file, no environment variable and no network.
"""

__version__ = "0.1.0"
