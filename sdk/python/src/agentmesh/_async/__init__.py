"""The client for asyncio. `_sync` is made from this folder by `make_sync.py`."""
