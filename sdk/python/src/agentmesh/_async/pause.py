"""Waiting between two tries, and for others."""

from asyncio import Lock, sleep

__all__ = ["Lock", "sleep"]
