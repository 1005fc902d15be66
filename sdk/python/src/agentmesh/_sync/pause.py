"""Waiting between two tries."""

from time import sleep

__all__ = ["sleep"]
