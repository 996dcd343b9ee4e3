"""Draw a clip to a file: a strip of poses, an animation or a page with a viewer, by the name's ending."""

from __future__ import annotations

from pathlib import Path

from mograph.clip import Clip
from studio.camera import check_view
from studio.saving import check_target, save
from studio.timeline import contact_timeline

__all__ = ["SUFFIXES", "contact_timeline", "render"]

SUFFIXES = (".png", ".gif", ".html")


def render(
    clip: Clip,
    path: str | Path,
    *,
    view: str | None = None,
    poses: int | None = None,
    size: tuple[int, int] | None = None,
    title: str | None = None,
) -> Path:
    """Draw ``clip`` to ``path`` and return the path.

    *.png* is a strip of poses with a second view and the contacts, *.gif* an animation, *.html* a page that
    needs nothing else. Nothing is left behind if the drawing fails.

    :param view: side, front, top or three_quarter; by default a strip is seen from the side, the others
        from three-quarter.
    :param poses: how many poses a strip shows; by default as many as can be told apart.
    :param size: width and height in pixels of a strip or an animation; a page fits its window.
    :param title: what to write over it; by default the clip's name.
    """
    path = check_target(path, SUFFIXES)
    suffix = path.suffix.lower()
    view = view or ("side" if suffix == ".png" else "three_quarter")
    check_view(view)
    if suffix == ".png":
        from studio.strip import strip

        return save(path, strip(clip, view=view, poses=poses, size=size, title=title))
    if suffix == ".gif":
        from studio.animation import animation

        return save(path, animation(clip, view=view, size=size, title=title))
    from studio.web_viewer import web_page

    return save(path, web_page(clip, view=view, title=title))
