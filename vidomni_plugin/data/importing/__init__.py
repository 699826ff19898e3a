"""Bring data in another shape into this project's layout, by a mapping file that says how."""
