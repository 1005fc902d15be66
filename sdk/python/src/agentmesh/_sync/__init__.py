"""The client that waits. Made from `_async` by `make_sync.py`; do not edit."""
