"""``vidomni_fifa``: the share of a text's facts that hold in the video."""
