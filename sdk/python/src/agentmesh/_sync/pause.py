"""Waiting between two tries, and for others."""

from threading import Lock
from time import sleep

__all__ = ["Lock", "sleep"]
