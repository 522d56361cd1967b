"""Tests of jq."""
