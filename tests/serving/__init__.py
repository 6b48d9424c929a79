"""Tests of the server: its answers, its limits, who may ask, the process, and the page."""
