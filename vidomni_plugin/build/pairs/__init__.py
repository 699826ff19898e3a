"""VideoHALO (VidHalLoc section 3): checked factual/counterfactual pairs from videos of your own."""
