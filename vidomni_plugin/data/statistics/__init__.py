"""The papers' tables and figures of their data, computed from the data at hand."""
