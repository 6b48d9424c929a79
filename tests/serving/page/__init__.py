"""Tests of the page, in a real browser that asks a real server."""
