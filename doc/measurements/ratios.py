#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""ratios.py [--dark] FILE.csv >FILE.svg: draws how many times as fast as GMP operations are, by size.

Columns: operation,bits,gmp_ms,with_ms.  Lines that begin with # are the picture's caption: card,
date, memory.  Names are listed at the right in the order of the curves' ends."""
import csv
import math
import sys

import plot

WIDTH, HEIGHT = 820, 430
LEFT, RIGHT, TOP, BOTTOM = 56, 225, 40, 44
CAPTION, LABEL = 16, 17  # heights of lines
TITLE = "How many times as fast as GMP on one thread, by size"


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
        self.decades = plot.decades(min(r for _, r in points), max(r for _, r in points))

    def x(self, bits):
        return LEFT + (math.log2(bits) - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, ratio):
        share = (math.log10(ratio) - self.decades[0]) / (self.decades[-1] - self.decades[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def frame(axes):
    right = WIDTH - RIGHT
    yield plot.text(8, 22, TITLE, "title")
    for power in range(axes.low, axes.high + 1, 2):
        x = axes.x(2**power)
        yield plot.line(x, TOP, x, HEIGHT - BOTTOM, "grid")
        yield plot.text(x, HEIGHT - BOTTOM + 18, f"2^{power}", anchor="middle")
    for power in axes.decades:
        y = axes.y(10.0**power)
        yield plot.line(LEFT, y, right, y, "even" if power == 0 else "grid")
        yield plot.text(LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end")
    yield plot.text((LEFT + right) / 2, HEIGHT - 8, "bits", anchor="middle")


def curves(series, axes):
    order = sorted(series, key=lambda name: -series[name][-1][1])
    heights = plot.apart([axes.y(series[name][-1][1]) for name in order], LABEL, TOP)
    for i, (name, y) in enumerate(zip(order, heights)):
        points = [(axes.x(bits), axes.y(ratio)) for bits, ratio in series[name]]
        yield f'<path class="guide" d="M{points[-1][0]:.1f} {points[-1][1]:.1f}L{WIDTH - RIGHT + 8} {y:.1f}"/>'
        yield f'<polyline class="line c{i}" points="{" ".join(f"{x:.1f},{h:.1f}" for x, h in points)}"/>'
        for x, h in points:
            yield f'<circle class="f{i}" cx="{x:.1f}" cy="{h:.1f}" r="2.8"/>'
        yield plot.text(WIDTH - RIGHT + 12, y + 4, f"{name} ({series[name][-1][1]:.0f})", f"t{i}")


def draw(path, dark):
    series, caption = read(path), plot.remarks(path)
    axes = Axes(series)
    words = [plot.text(8, HEIGHT + 14 + CAPTION * i, words, "small") for i, words in enumerate(caption)]
    size = WIDTH, HEIGHT + 8 + CAPTION * len(caption)
    plot.print_picture(size, TITLE, [*frame(axes), *curves(series, axes), *words], len(series), dark)


if __name__ == "__main__":
    plot.run(__doc__, draw)
