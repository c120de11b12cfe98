"""Records the demo of the README: runs the command in a terminal of its own, and writes a cast of
asciinema (version 2) and two pictures of it that move, for light and dark pages.

usage: demo.py NEARFAR FOLDER    from the root of a clone; writes FOLDER/demo.cast, demo.svg and
                                 demo-dark.svg

What the commands print is real; they read captured machines and kept surveys, so that it is the
same everywhere. The times of typing and reading are set, not recorded.
"""

import fcntl
import html
import json
import os
import pathlib
import pty
import re
import struct
import sys
import termios

COLUMNS, ROWS = 92, 39
# Seconds.
TYPED, STARTED, READ = 0.04, 0.4, 7.0
# What memory costs, why the kernel shows these nodes, where devices are; each with what to do.
SCENES = [
    "show docs/gallery/documents/lab-epyc-7451-2p.json",
    "diagnose --root docs/captures/lab-epyc-7451-2p.tar.gz",
    "devices --root docs/captures/lab-devices-2s.tar.gz",
]
PROMPT = "\x1b[1m$\x1b[0m "
STYLE = re.compile(r"\x1b\[([0-9;]*)m")
# Pixels of a character, and of the frame.
WIDE, HIGH, FRAME = 8, 17, 14
PAGES = {
    "demo.svg": ("#ffffff", "#1f2328", "#d0d7de"),
    "demo-dark.svg": ("#0d1117", "#e6edf3", "#30363d"),
}
LEVELS = [0, 95, 135, 175, 215, 255]


def printed(nearfar, words):
    """What the command prints on a terminal of this size."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", NEARFAR_PAGER="")
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            os.environ.pop(name, None)
        # The size is set before the command looks.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execv(nearfar, ["nearfar", *words.split()])
    text = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # a terminal ends so
            break
        if not part:
            break
        text += part
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit(f"demo: 'nearfar {words}' failed: {text.decode()}")
    return first_screen(text.decode())


def first_screen(text):
    """What a pager shows of it at first, above the row of the next prompt."""
    rows = text.replace("\r", "").rstrip("\n").split("\n")
    return rows[: ROWS - 2]


def cast(scenes):
    """The recording, a line of JSON each."""
    yield {"version": 2, "width": COLUMNS, "height": ROWS, "title": "nearfar"}
    now = 0.0
    for words, rows in scenes:
        yield [round(now, 2), "o", f"\x1b[H\x1b[2J{PROMPT}"]
        for character in f"nearfar {words}":
            now += TYPED
            yield [round(now, 2), "o", character]
        now += STARTED
        yield [round(now, 2), "o", "".join(f"\r\n{row}" for row in rows)]
        now += READ


def colour(code):
    """A colour of 256, as the page names it."""
    number = int(code)
    if number < 16:
        return "#000000" if number == 0 else "#808080"
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    red, green, blue = (LEVELS[(number - 16) // step % 6] for step in (36, 6, 1))
    return f"#{red:02x}{green:02x}{blue:02x}"


def drawn(line, row, front):
    """A line of the terminal: its coloured cells, and its text."""
    style, column = {}, 0
    pieces = STYLE.split(line)
    for index, piece in enumerate(pieces):
        if index % 2:
            codes = piece.split(";")
            if codes[:2] == ["38", "5"]:
                style["fill"] = colour(codes[2])
            elif codes[:2] == ["48", "5"]:
                style["back"] = colour(codes[2])
            elif codes == ["1"]:
                style["bold"] = True
            else:
                style = {}
            continue
        for run in re.finditer(r"\S+(?: \S+)*", piece):
            left = FRAME + (column + run.start()) * WIDE
            width = len(run[0]) * WIDE
            if "back" in style:
                yield (
                    f'<rect x="{left}" y="{FRAME + row * HIGH}" width="{width}" '
                    f'height="{HIGH}" fill="{style["back"]}"/>'
                )
            fill = style.get("fill", front)
            bold = ' font-weight="bold"' if "bold" in style else ""
            other = f' fill="{fill}"' if fill != front else ""
            yield (
                f'<text x="{left}" y="{FRAME + row * HIGH + 13}" textLength="{width}"'
                f"{other}{bold}>{html.escape(run[0])}</text>"
            )
        column += len(piece)


def picture(scenes, back, front, edge):
    """A picture that shows one scene after the other: its words, then what is printed."""
    groups, starts, now = [], [], 0.0
    for number, (words, rows) in enumerate(scenes):
        began = now
        typed = ["nearfar", *words.split()]
        steps = []
        for count in range(1, len(typed) + 1):
            now += 0.25
            line = PROMPT + " ".join(typed[:count])
            steps.append((now, list(drawn(line, 0, front))[-1:]))
        now += STARTED
        body = [part for row, line in enumerate(rows, 1) for part in drawn(line, row, front)]
        starts.append((number, began, steps, (now, body)))
        now += READ
        groups.append(now)
    return render(starts, groups, now, (back, front, edge))


def render(scenes, ends, length, colours):
    back, front, edge = colours
    width, height = 2 * FRAME + COLUMNS * WIDE, 2 * FRAME + ROWS * HIGH
    styles, parts = [], []

    def shown(name, start, end, content):
        first, last = 100 * start / length, 100 * end / length
        frames = f"0%{{opacity:{int(first == 0)}}}{first:.2f}%{{opacity:1}}"
        frames += f"{last:.2f}%{{opacity:0}}" if last < 100 else ""
        styles.append(f"@keyframes {name}{{{frames}}}")
        styles.append(f"#{name}{{opacity:0;animation:{name} {length:.2f}s step-end infinite}}")
        parts.append(f'<g id="{name}">{"".join(content)}</g>')

    for number, began, steps, (at, body) in scenes:
        end = ends[number]
        prompt = f'<text x="{FRAME}" y="{FRAME + 13}" font-weight="bold">$</text>'
        shown(f"p{number}", began, end, [prompt])
        for index, (start, content) in enumerate(steps):
            until = steps[index + 1][0] if index + 1 < len(steps) else end
            shown(f"c{number}_{index}", start, until, content)
        shown(f"o{number}", at, end, body)
    # Who wants no movement sees the first.
    last = len(scenes[0][2]) - 1
    still = f"#p0,#c0_{last},#o0{{opacity:1}}"
    style = "".join(styles)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}">\n<title>Three commands of nearfar and what they print</title>\n'
        f"<style>text{{white-space:pre}}{style}@media (prefers-reduced-motion:reduce)"
        f"{{g{{animation:none!important}}{still}}}</style>\n"
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="6" fill="{back}" '
        f'stroke="{edge}"/>\n<g font-family="ui-monospace,DejaVu Sans Mono,Menlo,monospace" '
        f'font-size="13" fill="{front}">\n' + "\n".join(parts) + "\n</g>\n</svg>\n"
    )


def main():
    nearfar, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    scenes = [(words, printed(nearfar, words)) for words in SCENES]
    recording = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in cast(scenes))
    (folder / "demo.cast").write_text(recording, encoding="utf-8")
    for name, colours in PAGES.items():
        (folder / name).write_text(picture(scenes, *colours), encoding="utf-8")


main()
