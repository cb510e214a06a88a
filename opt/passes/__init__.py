"""Graph rewrites, one file each: a function `Graph -> list[Change]` with the file's name."""
