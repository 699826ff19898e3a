"""Runners of the host that decode, encode and prefill each video once for all its questions."""
