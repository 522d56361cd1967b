"""The commands: one file each, on the framework of command.py."""
