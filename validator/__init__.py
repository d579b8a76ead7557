"""Checks, scores and packs submissions to speech and multimedia evaluations."""

__version__ = "0.1.0"
