"""Models that this project adds to the registry of lmms-eval."""
