"""Waiting between two tries."""

from asyncio import sleep

__all__ = ["sleep"]
