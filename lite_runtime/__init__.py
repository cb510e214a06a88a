"""The C++ runtime and its operator library, seen from Python."""
