"""Errors of this room; each is one sentence that names the thing, the value and what would be right."""


class LevelError(ValueError):
    """Base of everything wrong with a level, map or sketch; the command line prints it and exits with 2."""


class SketchError(LevelError):
    """A sketch that cannot be read, or that does not fit its level."""
