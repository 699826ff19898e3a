"""A model of the host that wraps any other: one video at a time, every answer kept at once."""
