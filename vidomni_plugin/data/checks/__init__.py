"""Checks of a data set: registered functions, each with a code, a meaning and a hint."""
