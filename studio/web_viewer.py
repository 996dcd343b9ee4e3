"""A clip as a page of its own: one HTML file with the motion inside, which asks nothing of any server."""

from __future__ import annotations

import base64
import html
import json
import re
from importlib import resources

import numpy as np

from mograph.clip import Clip
from mograph.rotations import Array
from studio.camera import check_view, travel_direction
from studio.stick_figure import PARTS, SIDE_COLOURS, stick_figure

_LEVELS = 65535  # steps of the 16 bits that each coordinate is stored in


def web_page(clip: Clip, *, view: str = "three_quarter", title: str | None = None) -> bytes:
    """The page that plays a clip in a browser; ``#t=1.5`` after its address opens it paused at that time."""
    check_view(view)
    name = title or clip.name or "clip"
    data = json.dumps(_clip_data(clip, view, name), separators=(",", ":"))
    template = resources.files("studio").joinpath("viewer.html").read_text(encoding="utf-8")
    # "<" cannot end the script element when it is written as an escape, which means the same in JSON
    filling = {"{{title}}": html.escape(name), "{{clip}}": data.replace("<", "\\u003c")}
    return re.sub("|".join(map(re.escape, filling)), lambda found: filling[found[0]], template).encode()


def _clip_data(clip: Clip, view: str, name: str) -> dict[str, object]:
    drawn = stick_figure(clip)
    low, step, levels = quantise(drawn.points)
    return {
        "name": name,
        "behaviour": clip.behaviour,
        "fps": clip.fps,
        "frames": len(clip),
        "points": drawn.points.shape[1],
        "joints": len(clip.skeleton),
        "low": low.tolist(),
        "step": step.tolist(),
        "positions": base64.b64encode(levels.tobytes()).decode(),
        "contact": None if clip.contact is None else base64.b64encode(clip.contact.tobytes()).decode(),
        "bones": drawn.bones.tolist(),
        "side": drawn.side.tolist(),
        "radius": drawn.radius.round(4).tolist(),
        "head": drawn.head,
        "headRadius": round(drawn.head_radius, 4),
        "sideColours": SIDE_COLOURS,
        "parts": [
            {"bit": int(PARTS[k].contact), "label": PARTS[k].label, "colour": PARTS[k].colour}
            for k in drawn.parts
        ],
        "marks": [[m.part, m.start, m.stop, m.joint, m.back, m.down, m.up] for m in drawn.marks],
        "partColours": [part.colour for part in PARTS],
        "direction": travel_direction(clip, drawn.points).tolist(),
        "view": view,
    }


def quantise(points: Array) -> tuple[Array, Array, np.ndarray]:
    """Positions in 16 bits per coordinate: ``low + step * level`` is off by half a step at most.

    >>> low, step, level = quantise(np.array([[0.0, 1.0, 2.0], [13.0, 1.0, -2.0]]))
    >>> bool(np.abs(low + step * level - [[0.0, 1.0, 2.0], [13.0, 1.0, -2.0]]).max() < 1e-4)
    True
    """
    flat = points.reshape(-1, points.shape[-1])
    low = flat.min(axis=0)
    step = np.maximum(np.ptp(flat, axis=0), 1e-6) / _LEVELS
    levels = np.round((points - low) / step)
    return low, step, np.clip(levels, 0, _LEVELS).astype("<u2")
