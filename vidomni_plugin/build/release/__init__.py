"""A release of pairs in the public folder layout: split, packaged, audited."""
