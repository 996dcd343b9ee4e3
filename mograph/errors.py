"""Errors a person can act on: each message names the thing, the value, and what would be right."""


class MographError(ValueError):
    """Base of everything wrong with the user's input; the command line prints it and exits with 2."""


class MotionFileError(MographError):
    """A motion file that cannot be read, or cannot be written where asked."""


class SkeletonError(MographError):
    """A skeleton that lacks what an operation needs, such as a joint for a role."""


class StorageError(MographError):
    """A stored database or graph that is damaged, foreign, or of an unknown version."""
