"""Videos are decoded once and read by the reader of the user's choice: docs/readers.md."""
