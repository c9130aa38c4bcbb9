#!/usr/bin/env python3
"""Writes resources/icons/*.svg and icons.qrc: drawings on a grid of 16, strokes of 1.5, round caps, one colour (look.md 6)."""
import pathlib

# Shapes: SVG elements without style; a leading "!" fills instead of strokes.
ICONS = {
    # pages
    "overview": '<rect x="3" y="2" width="10" height="12" rx="1.5"/><path d="M5.5 5.5h5M5.5 8h5M5.5 10.5h3"/>',
    "graph": '<circle cx="8" cy="3.5" r="1.75"/><circle cx="3.75" cy="12.5" r="1.75"/><circle cx="12.25" cy="12.5" r="1.75"/><path d="M8 5.25V8M8 8 4.75 11M8 8l3.25 3"/>',
    "signature": '<path d="M4.5 2.75C2 5.5 2 10.5 4.5 13.25M11.5 2.75C14 5.5 14 10.5 11.5 13.25M5.5 8h5M8.5 6l2 2-2 2"/>',
    "weights": '<rect x="2.5" y="2.5" width="11" height="11" rx="1"/><path stroke-width="1.1" d="M6.17 2.5v11M9.83 2.5v11M2.5 6.17h11M2.5 9.83h11"/>',
    "kernels": '<rect x="4" y="4" width="8" height="8" rx="1"/><rect x="6.5" y="6.5" width="3" height="3" stroke-width="1"/><path d="M6 4V2M10 4V2M6 14v-2M10 14v-2M4 6H2M4 10H2M14 6h-2M14 10h-2"/>',
    "files": '<path d="M2 4.5A1.25 1.25 0 0 1 3.25 3.25h3L7.75 5h5A1.25 1.25 0 0 1 14 6.25v5.5A1.25 1.25 0 0 1 12.75 13h-9.5A1.25 1.25 0 0 1 2 11.75z"/>',
    "run": '<path d="M4.5 3v10l8-5z"/>',
    "compare": '<path d="M2.5 5.25h11M10.75 2.5l2.75 2.75L10.75 8M13.5 10.75h-11M5.25 8 2.5 10.75l2.75 2.75"/>',
    "recompile": '<path d="M9 3.5 12.5 7M7.25 5.25l3.5 3.5 2.5-2.5L9.75 2.75zM8.75 7.25l-6 6"/>',
    "problems": '<path d="M8 2.25 14.5 13.5h-13zM8 6.5v3M8 11.4v.1"/>',
    "changes": '<path d="M2.5 4h7M2.5 8h5M2.5 12h4M11 8.5v5M8.5 11h5"/>',
    "settings": '<circle cx="8" cy="8" r="2.25"/><path d="M8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4"/>',
    # kinds
    "archive": '<path d="M8 1.75 13.75 5v6L8 14.25 2.25 11V5zM2.5 5.1 8 8.25l5.5-3.15M8 8.25v5.75"/>',
    "folder": '<path d="M2 4.5A1.25 1.25 0 0 1 3.25 3.25h3L7.75 5h5A1.25 1.25 0 0 1 14 6.25v5.5A1.25 1.25 0 0 1 12.75 13h-9.5A1.25 1.25 0 0 1 2 11.75z"/>',
    "json": '<path d="M6 2.5H5.5A1.5 1.5 0 0 0 4 4v2.5C4 7.5 3.25 8 2.5 8 3.25 8 4 8.5 4 9.5V12a1.5 1.5 0 0 0 1.5 1.5H6M10 2.5h.5A1.5 1.5 0 0 1 12 4v2.5c0 1 .75 1.5 1.5 1.5-.75 0-1.5.5-1.5 1.5V12a1.5 1.5 0 0 1-1.5 1.5H10"/>',
    "weight": '<rect x="2.5" y="2.5" width="11" height="11" rx="1"/><path stroke-width="1.1" d="M6.17 2.5v11M9.83 2.5v11M2.5 6.17h11M2.5 9.83h11"/>',
    "constant": '<rect x="2.5" y="2.5" width="11" height="11" rx="1"/><path d="M2.5 8h11M8 2.5v11"/><circle cx="10.75" cy="10.75" r=".75"/>',
    "library": '<path d="M9.5 1.75H4.25A1.25 1.25 0 0 0 3 3v10a1.25 1.25 0 0 0 1.25 1.25h7.5A1.25 1.25 0 0 0 13 13V5.25zM9.5 1.75v3.5H13"/><circle cx="8" cy="9.5" r="1.5"/><path d="M8 7v.75M8 11.25V12M5.5 9.5h.75M9.75 9.5h.75"/>',
    "kernel": '<rect x="4" y="4" width="8" height="8" rx="1"/><path d="M6 4V2M10 4V2M6 14v-2M10 14v-2M4 6H2M4 10H2M14 6h-2M14 10h-2"/>',
    "samples": '<path d="M3.5 3h9l1.5 6.5V12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V9.5zM2 9.5h3.5L6.5 11h3l1-1.5H14"/>',
    "extra": '<path d="m12.5 7.5-5 5a3 3 0 0 1-4.25-4.25l5.5-5.5a2 2 0 0 1 2.83 2.83l-5.3 5.3a1 1 0 0 1-1.42-1.42L9.5 4.9"/>',
    "page": '<path d="M9.5 1.75H4.25A1.25 1.25 0 0 0 3 3v10a1.25 1.25 0 0 0 1.25 1.25h7.5A1.25 1.25 0 0 0 13 13V5.25zM9.5 1.75v3.5H13"/>',
    "code": '<path d="M5.25 4 1.75 8l3.5 4M10.75 4l3.5 4-3.5 4"/>',
    "text": '<path d="M3 4h10M3 7h10M3 10h10M3 13h6"/>',
    "hex": '<path d="M8 1.75 13.5 5v6L8 14.25 2.5 11V5z"/><path d="M6 6.5v3M10 6.5v3M8 6.5v3"/>',
    "node": '<rect x="2.5" y="5" width="11" height="6" rx="1.5"/><path d="M8 2v3M8 11v3"/>',
    "symbol": '<path d="M3 12.5c2 0 2.5-1.5 3-4.5s1.25-4.5 3.5-4.5M4.5 7.5h6"/><path d="M10 10l3.5 3.5M13.5 10 10 13.5"/>',
    # states
    "ok": '<circle cx="8" cy="8" r="6"/><path d="m5.25 8.25 2 2 3.5-4"/>',
    "info": '<circle cx="8" cy="8" r="6"/><path d="M8 7.5v3.25M8 5.1v.1"/>',
    "warning": '<path d="M8 2.25 14.5 13.5h-13zM8 6.5v3M8 11.4v.1"/>',
    "error": '<path d="M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4M10 6l-4 4"/>',
    "unknown": '<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.3"/>',
    "running": '<path d="M8 2a6 6 0 1 1-6 6"/>',
    # actions
    "back": '<path d="M9.75 3.5 5.25 8l4.5 4.5"/>',
    "forward": '<path d="M6.25 3.5l4.5 4.5-4.5 4.5"/>',
    "chevron-right": '<path d="M6.5 4.5 10 8l-3.5 3.5"/>',
    "chevron-down": '<path d="M4.5 6.5 8 10l3.5-3.5"/>',
    "chevron-up": '<path d="M4.5 9.5 8 6l3.5 3.5"/>',
    "up": '<path d="M8 13V3M4 7l4-4 4 4"/>',
    "down": '<path d="M8 3v10M4 9l4 4 4-4"/>',
    "close": '<path d="m4.25 4.25 7.5 7.5M11.75 4.25l-7.5 7.5"/>',
    "plus": '<path d="M8 3v10M3 8h10"/>',
    "minus": '<path d="M3 8h10"/>',
    "check": '<path d="m4 8.25 2.75 2.75L12 5.5"/>',
    "fit": '<path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3"/><rect x="6" y="6" width="4" height="4"/>',
    "copy": '<rect x="5.5" y="5.5" width="8" height="8" rx="1.25"/><path d="M10.5 5.25V3.75A1.25 1.25 0 0 0 9.25 2.5h-5.5A1.25 1.25 0 0 0 2.5 3.75v5.5a1.25 1.25 0 0 0 1.25 1.25h1.5"/>',
    "search": '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.25 3.25"/>',
    "filter": '<path d="M2.25 3h11.5L9.5 8.25V13L6.5 11V8.25z"/>',
    "reload": '<path d="M13 4.5A6 6 0 1 0 14 8M13.5 1.75V4.75h-3"/>',
    "stop": '<rect x="3.5" y="3.5" width="9" height="9" rx="1"/>',
    "open": '<path d="M2.5 12.5V4a1 1 0 0 1 1-1h3L8 4.75h4a1 1 0 0 1 1 1V7M2.5 12.5 4.25 7H14.5l-1.75 5.5z"/>',
    "save": '<path d="M3 2.5h8L13.5 5v8a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5zM5 2.75V6h5V2.75M5 13.5V9.5h6v4"/>',
    "delete": '<path d="M2.5 4.5h11M6 4.25V2.5h4v1.75M4 4.5l.75 9h6.5l.75-9M6.75 7v4M9.25 7v4"/>',
    "pin": '<path d="M5.5 2.5h5M6.25 2.5v4L4.5 9h7L9.75 6.5v-4M8 9v4.75"/>',
    "more": '<path d="M3.5 8v.01M8 8v.01M12.5 8v.01"/>',
    "shield": '<path d="M8 1.75 13 3.5v4c0 3.25-2 5.5-5 6.75-3-1.25-5-3.5-5-6.75v-4z"/>',
    "random": '<rect x="2.5" y="2.5" width="11" height="11" rx="1.5"/><path d="M5.5 5.5v.01M10.5 5.5v.01M8 8v.01M5.5 10.5v.01M10.5 10.5v.01"/>',
    "undo": '<path d="M2.75 6.5h7a3.5 3.5 0 0 1 0 7H6.5M5.75 3.25 2.5 6.5l3.25 3.25"/>',
    "redo": '<path d="M13.25 6.5h-7a3.5 3.5 0 0 0 0 7H9.5M10.25 3.25l3.25 3.25-3.25 3.25"/>',
    "link": '<path d="M9.5 2.5h4v4M13.25 2.75 7.5 8.5M11.5 9v3.5a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1H7"/>',
    "panel": '<rect x="2" y="2.5" width="12" height="11" rx="1.25"/><path d="M10 2.5v11"/>',
    "help": '<circle cx="8" cy="8" r="6"/><path d="M6.25 6.25a1.75 1.75 0 1 1 2.6 1.55c-.6.35-.85.7-.85 1.35M8 11.2v.1"/>',
    "clock": '<circle cx="8" cy="8" r="6"/><path d="M8 4.5V8l2.5 1.5"/>',
}

here = pathlib.Path(__file__).resolve().parent
folder = here / "icons"
folder.mkdir(exist_ok=True)
for old in folder.glob("*.svg"):
    old.unlink()
for name, shapes in ICONS.items():
    (folder / f"{name}.svg").write_text(
        "<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
        '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">'
        '<g fill="none" stroke="#000000" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">'
        f"{shapes}</g></svg>\n"
    )
lines = ['<RCC>', '  <qresource prefix="/icons">']
lines += [f'    <file alias="{name}.svg">icons/{name}.svg</file>' for name in sorted(ICONS)]
lines += ['  </qresource>', '</RCC>', '']
(here / "icons.qrc").write_text("\n".join(lines))
