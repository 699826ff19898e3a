"""Detectors as models of the host: each scores a video and a text, and answers with JSON."""
