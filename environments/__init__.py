"""Where motions happen: levels, sketches, rasters of ground and clearance, and bounds on travel in the plane.

Coordinates are ``(x, z)`` in metres on the ground, heights are metres above it. Nothing in this room knows
about skeletons or graphs; the planner joins the two.
"""
