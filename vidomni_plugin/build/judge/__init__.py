"""Compare captions of the same videos with a language model as the judge."""
