# SPDX-License-Identifier: LGPL-3.0-or-later
"""Draws the Mermaid pictures of Markdown pages with Graphviz's dot.  GitHub renders Mermaid itself,
but Debian has no package of Mermaid that works without a network.

Only the part of Mermaid that this project's pages use is supported: `flowchart LR`; nodes `id`,
`id[text]` and `id{text}`; edges `-->` and `<-->` with or without a label.  Anything else causes a
warning."""

import re
import subprocess
import textwrap

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

NODE = re.compile(r'\s*(\w+)(?:(\[|\{)"?(.*?)"?[]}])?\s*')
EDGE = re.compile(r'(<?)--(?:>\|"?(.*?)"?\||\s+"?(.*?)"?\s+-->|>)')
HEAD = """digraph {
rankdir=LR; bgcolor="transparent"; ranksep=0.4; nodesep=0.3;
node [shape=box, style=rounded, fontname="Helvetica,Arial,sans-serif", fontsize=12, height=0.4];
edge [fontname="Helvetica,Arial,sans-serif", fontsize=11, arrowsize=0.7];
"""


def quoted(text, width=100):
    """Returns the text as a quoted string for Graphviz, broken into lines of at most `width`
    characters."""
    return '"' + r"\n".join(textwrap.wrap(text.replace('"', r"\""), width)) + '"'


class Flowchart:
    """A parsed Mermaid flowchart: its nodes and edges.  Raises ValueError if it cannot parse a
    line."""

    def __init__(self, text):
        first, *lines = text.strip().splitlines()
        if first.split() != ["flowchart", "LR"]:
            raise ValueError(first)
        self.nodes = {}
        self.edges = []
        for line in lines:
            self.read(line)

    def read(self, line):
        """Parses a line, a chain of node, edge, node and so on, and records them."""
        match = self.node(line, 0)
        while match.end() < len(line):
            edge = EDGE.match(line, match.end())
            if not edge:
                raise ValueError(line)
            start, match = match[1], self.node(line, edge.end())
            self.edges.append((start, match[1], edge[2] or edge[3] or "", bool(edge[1])))

    def node(self, line, position):
        """Parses the node at `position` in the line, and records it.  Returns the match."""
        match = NODE.match(line, position)
        if not match:
            raise ValueError(line)
        if match[2] or match[1] not in self.nodes:
            self.nodes[match[1]] = (match[3] or match[1], match[2] == "{")
        return match

    def dot(self):
        """Returns the graph as source text for Graphviz."""
        text = HEAD
        for name, (label, is_choice) in self.nodes.items():
            text += f"{quoted(name)} [label={quoted(label, 16)}{', shape=diamond, style=solid' if is_choice else ''}];\n"
        for start, end, label, both in self.edges:
            direction = ", dir=both" if both else ""
            text += f"{quoted(start)} -> {quoted(end)} [label={quoted(label, 16)}{direction}];\n"
        return text + "}\n"


def svg(text):
    """Returns the picture as an SVG element.  Removes titles, which would be shown as tooltips, and
    ids, which would not be unique in a page."""
    drawn = subprocess.run(["dot", "-Tsvg"], input=Flowchart(text).dot(), capture_output=True, text=True, check=True).stdout
    drawn = re.sub(r"<title>.*?</title>|<!--.*?-->| id=\"\w+\"", "", drawn, flags=re.S)
    return drawn[drawn.index("<svg") :]


class Pictures(SphinxTransform):
    """Replaces each Mermaid block by its picture."""

    default_priority = 400

    def apply(self, **kwargs):
        for block in list(self.document.findall(nodes.literal_block)):
            if block.get("language") != "mermaid":
                continue
            try:
                html = f'<div class="flowchart">{svg(block.astext())}</div>'
                block.replace_self(nodes.raw("", html, format="html"))
            except ValueError as line:
                logging.getLogger(__name__).warning("Mermaid is not understood: %s", line, location=block)


def setup(app):
    app.add_transform(Pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
