#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""ratios.py FILE.csv >FILE.svg: how many times as fast as GMP, by size, a line for each operation.

Columns: operation,bits,gmp_ms,with_ms; lines that begin with # are remarks.  Names stand at the ends
of their lines, from the fastest down.  The picture has colours for light and for dark pages."""
import csv
import math
import sys
from html import escape

WIDTH, HEIGHT = 780, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 205, 34, 44
LABEL = 17  # between two names, at least
# Told apart in light and in dark, and by readers who do not tell red from green.
LIGHT = ["#0060b0", "#c05000", "#007a55", "#8a3fa0", "#8a6d00", "#b0285a"]
DARK = ["#6cb6ff", "#ff9d57", "#4fd1a5", "#d6a2ee", "#e3c453", "#ff8fb5"]
STYLE = """text { font: 13px sans-serif; fill: #1f2328 }
.grid { stroke: #8c959f; stroke-opacity: .35 }
.even { stroke: #57606a; stroke-width: 1.5; stroke-dasharray: 5 4 }
.line { fill: none; stroke-width: 2.2 }
"""
STYLE_DARK = "text { fill: #e6edf3 } .even { stroke: #9198a1 }"


def read(path):
    """{operation: [(bits, ratio), ...]}, sizes in order."""
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if line.strip() and not line.startswith("#"))
        series = {}
        for row in rows:
            ratio = float(row["gmp_ms"]) / float(row["with_ms"])
            series.setdefault(row["operation"], []).append((int(row["bits"]), ratio))
    if not series:
        sys.exit(f"{path}: no figures")
    return {name: sorted(points) for name, points in series.items()}


class Axes:
    """Both logarithmic."""

    def __init__(self, series):
        points = [point for line in series.values() for point in line]
        self.low, self.high = (math.floor(f(math.log2(b) for b, _ in points)) for f in (min, max))
        self.high = max(self.high, self.low + 1)
        self.least = math.floor(math.log10(min(r for _, r in points)))
        self.most = max(math.ceil(math.log10(max(r for _, r in points))), self.least + 1)

    def x(self, bits):
        return LEFT + (math.log2(bits) - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, ratio):
        share = (math.log10(ratio) - self.least) / (self.most - self.least)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def frame(axes):
    right = WIDTH - RIGHT
    for power in range(axes.low, axes.high + 1, 2):
        x = axes.x(2**power)
        yield line(x, TOP, x, HEIGHT - BOTTOM, "grid")
        yield text(x, HEIGHT - BOTTOM + 18, f"2^{power}", ' text-anchor="middle"')
    for power in range(axes.least, axes.most + 1):
        y = axes.y(10.0**power)
        yield line(LEFT, y, right, y, "even" if power == 0 else "grid")
        yield text(LEFT - 8, y + 4, f"{10.0**power:g}", ' text-anchor="end"')
    yield text(LEFT, 18, "times as fast as GMP on one thread")
    yield text((LEFT + right) / 2, HEIGHT - 8, "bits", ' text-anchor="middle"')


def places(wanted):
    """Heights near those wanted, in order, LABEL apart."""
    found, last = [], TOP - LABEL
    for y in wanted:
        last = max(y, last + LABEL)
        found.append(last)
    return found


def lines(series, axes):
    order = sorted(series, key=lambda name: -series[name][-1][1])
    heights = places([axes.y(series[name][-1][1]) for name in order])
    for i, (name, y) in enumerate(zip(order, heights)):
        points = " ".join(f"{axes.x(b):.1f},{axes.y(r):.1f}" for b, r in series[name])
        end = axes.x(series[name][-1][0]), axes.y(series[name][-1][1])
        yield f'<polyline class="line c{i}" points="{points}"/>'
        yield f'<path class="line c{i}" style="stroke-width:1" d="M{end[0]:.1f} {end[1]:.1f}L{WIDTH - RIGHT + 8} {y:.1f}"/>'
        yield text(WIDTH - RIGHT + 12, y + 4, f"{name} ({series[name][-1][1]:.0f})", f' class="t{i}"')


def style(series):
    def colours(palette):
        return "".join(f".c{i} {{ stroke: {palette[i % len(palette)]} }} .t{i} {{ fill: {palette[i % len(palette)]} }}\n"
                       for i in range(len(series)))

    return f"<style>\n{STYLE}{colours(LIGHT)}@media (prefers-color-scheme: dark) {{\n{STYLE_DARK}\n{colours(DARK)}}}\n</style>"


def main(path):
    series = read(path)
    axes = Axes(series)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">')
    print("<title>How many times as fast as GMP, by size</title>")
    print("\n".join([style(series), *frame(axes), *lines(series, axes), "</svg>"]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
