# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pieces of SVG that ratios.py and programs.py share: colours, text, axes, the frame of a picture.

A picture is drawn for light pages or for dark ones, since a README selects one of two files."""
import math
import sys
from html import escape

# Told apart on light and on dark pages, and by readers who do not tell red from green.
LIGHT = ["#0060b0", "#c05000", "#007a55", "#8a3fa0", "#8a6d00", "#b0285a"]
DARK = ["#6cb6ff", "#ff9d57", "#4fd1a5", "#d6a2ee", "#e3c453", "#ff8fb5"]
INK = {False: ("#1f2328", "#57606a", "#8c959f"), True: ("#e6edf3", "#9198a1", "#656c76")}


def remarks(path):
    """The lines of a table that begin with #, without that sign: the picture's caption."""
    with open(path, encoding="utf-8") as file:
        return [line[1:].strip() for line in file if line.startswith("#")]


def text(x, y, words, kind="", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def decades(low, high):
    """The powers of ten from one not above `low` to one not below `high`."""
    first = math.floor(math.log10(low))
    return range(first, max(math.ceil(math.log10(high)), first + 1) + 1)


def apart(wanted, distance, least):
    """Heights at or below those wanted, in order, at least `distance` apart."""
    found, last = [], least - distance
    for y in wanted:
        last = max(y, last + distance)
        found.append(last)
    return found


def style(colours, dark):
    ink, even, grid = INK[dark]
    rules = [f"text {{ font: 13px sans-serif; fill: {ink} }}",
             ".title { font-weight: bold; font-size: 14px }", ".small { font-size: 11.5px }",
             f".grid {{ stroke: {grid}; stroke-opacity: .35 }}",
             f".even {{ stroke: {even}; stroke-width: 1.5; stroke-dasharray: 5 4 }}",
             f".guide {{ stroke: {even}; stroke-width: 1; stroke-dasharray: 1 3; fill: none }}",
             ".line { fill: none; stroke-width: 2.2 }"]
    palette = DARK if dark else LIGHT
    for i in range(colours):
        colour = palette[i % len(palette)]
        rules.append(f".c{i} {{ stroke: {colour} }} .t{i}, .f{i} {{ fill: {colour} }}")
    return "<style>\n" + "\n".join(rules) + "\n</style>"


def print_picture(size, title, body, colours, dark):
    width, height = size
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" role="img">')
    print(f"<title>{escape(title)}</title>")
    print("\n".join([style(colours, dark), *body, "</svg>"]))


def run(usage, draw):
    """draw(path, dark) of the command line: [--dark] FILE."""
    words = [word for word in sys.argv[1:] if word != "--dark"]
    if len(words) != 1 or words[0].startswith("-"):
        sys.exit(usage)
    draw(words[0], "--dark" in sys.argv)
