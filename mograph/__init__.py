"""mograph: motion capture in, motion graph out."""
