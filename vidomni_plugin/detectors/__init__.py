"""How detectors score an answer against a video: formulas in numpy, and the text of an answer."""
