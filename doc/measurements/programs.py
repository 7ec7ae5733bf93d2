#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""programs.py [--dark] FILE.txt >FILE.svg: draws whole programs with GMP alone and under preload.

FILE.txt is what tests/performance/short_programs prints: a table of Markdown with the columns bits,
products, GMP, backend:none, no server runs, a server runs.  Times are in ms; a mark ! behind one
is passed over.  Lines that begin with # are the picture's caption: card, date, memory, spread."""
import math
import sys

import plot

WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 820, 190, 20, 72, 26, 46
CAPTION = 16
TITLE = "Whole programs: k products of n bits, from their start to their end"
COLUMNS = 6
# Columns that are drawn, their names and their marks.
WAYS = ((2, "GMP alone", "square"), (4, "preloaded, no server runs (cold)", "ring"),
        (5, "preloaded, a server runs (warm)", "dot"))


def read(path):
    """[(bits, products, [ms of each way])], the shortest program of GMP first."""
    programs = []
    with open(path, encoding="utf-8") as file:
        for row in file:
            cells = [cell.strip().rstrip("! ") for cell in row.strip().strip("|").split("|")]
            if not row.startswith("#") and len(cells) == COLUMNS and cells[0].isdigit():
                programs.append((int(cells[0]), int(cells[1]), [float(cells[i]) for i, _, _ in WAYS]))
    if not programs:
        sys.exit(f"{path}: no figures")
    return sorted(programs, key=lambda program: program[2][0])


def size_text(bits):
    power = round(math.log10(bits))
    if bits == 10**power:
        return f"10^{power}"
    power = round(math.log2(bits))
    return f"2^{power}" if bits == 2**power else str(bits)


class Axis:
    """Milliseconds, logarithmic."""

    def __init__(self, programs):
        times = [ms for _, _, row in programs for ms in row]
        self.decades = plot.decades(min(times), max(times))

    def x(self, ms):
        share = (math.log10(ms) - self.decades[0]) / (self.decades[-1] - self.decades[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def mark(way, x, y):
    """A mark of its own for each way: colours alone do not tell them apart for all readers."""
    if WAYS[way][2] == "square":
        return f'<rect class="f{way}" x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10"/>'
    if WAYS[way][2] == "ring":
        return f'<circle class="line c{way}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>'
    return f'<circle class="f{way}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def time_text(power):
    return f"{10**power:g} ms" if power < 3 else f"{10**(power - 3):g} s"


def frame(axis, bottom):
    yield plot.text(8, 22, TITLE, "title")
    x = 8
    for way, (_, name, _) in enumerate(WAYS):
        yield mark(way, x + 6, 45)
        yield plot.text(x + 18, 49, name, f"t{way}")
        x += 40 + 7.2 * len(name)
    for power in axis.decades:
        x = axis.x(10.0**power)
        yield plot.line(x, TOP, x, bottom, "grid")
        yield plot.text(x, bottom + 18, time_text(power), anchor="middle" if power < axis.decades[-1] else "end")


def rows(programs, axis):
    for i, (bits, products, times) in enumerate(programs):
        y = TOP + ROW * (i + 0.5)
        words = f"{size_text(bits)} bits, {products} product{'s' if products > 1 else ''}"
        yield plot.text(LEFT - 12, y + 4, words, anchor="end")
        yield plot.line(axis.x(min(times)), y, axis.x(max(times)), y, "guide")
        for way, ms in enumerate(times):
            yield mark(way, axis.x(ms), y)


def draw(path, dark):
    programs, caption = read(path), plot.remarks(path)
    axis, bottom = Axis(programs), TOP + ROW * len(programs)
    words = [plot.text(8, bottom + BOTTOM + CAPTION * i, words, "small") for i, words in enumerate(caption)]
    size = WIDTH, bottom + BOTTOM + CAPTION * max(len(caption), 1) - 4
    plot.print_picture(size, TITLE, [*frame(axis, bottom), *rows(programs, axis), *words], len(WAYS), dark)


if __name__ == "__main__":
    plot.run(__doc__, draw)
