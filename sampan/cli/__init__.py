"""The command `sampan`: one file for each sub-command."""
