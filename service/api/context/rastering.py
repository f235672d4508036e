"""PNGs of pictures, painted in a process apart, for mail and chats that show no SVG."""

from __future__ import annotations

from service.api.context.apart import OutOfBounds, ProcessApart
from service.api.context.offload import too_much_work
from service.post.painting import painted

LEAST, MOST, USUAL = 100, 2000, 800
"""How wide a PNG may be, in pixels, and how wide it is if nobody says."""


class Painter(ProcessApart):
    """Paints pictures: under gevent in a process of its own, else here."""

    module = "service.api.context.raster_process"

    def png(self, svg: str, width: int, who: str) -> bytes:
        """The document as a PNG, so many pixels wide; raises the problem `too-much-work`."""
        if not self._apart:
            return painted(svg, width)
        try:
            return self._ask({"svg": svg, "width": width}, who)
        except OutOfBounds as error:
            raise too_much_work() from error
