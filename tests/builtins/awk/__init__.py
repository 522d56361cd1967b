"""Tests of awk."""
