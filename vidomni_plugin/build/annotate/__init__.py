"""Captions labelled by people in Label Studio: plan, votes, agreement, disputes, pairs."""
