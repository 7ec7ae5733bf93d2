# SPDX-License-Identifier: LGPL-3.0-or-later
"""Extensions of Sphinx's Markdown parser MyST: separate pictures for light and for dark pages,
links to manual pages, and folders in the navigation."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

SUBPAGES = "\n```{toctree}\n:hidden:\n:glob:\n*\n```\n"


class DarkPictures(SphinxTransform):
    """Replaces an HTML <picture> that has a light and a dark source by two images.  The theme shows
    the image that fits its colours."""

    default_priority = 400

    def apply(self, **kwargs):
        for block in list(self.document.findall(nodes.raw)):
            html = block.astext()
            if "<picture>" not in html:
                continue
            alt = re.search(r'alt="(.*?)"', html)[1]
            sources = [(r'srcset="(.*?)"', "only-dark"), (r'src="(.*?)"', "only-light")]
            block.replace_self(
                [nodes.image(uri=re.search(source, html)[1], alt=alt, classes=[name]) for source, name in sources]
            )


class ManualLinks(SphinxTransform):
    """Links each mention of a manual page of this project, such as mpgpu-run(1), to the page."""

    default_priority = 400

    def apply(self, **kwargs):
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, (nodes.paragraph, nodes.emphasis, nodes.strong)):
                continue
            parts = re.split(r"\b(mpgpu-[\w-]+)\((\d)\)", text)
            if len(parts) > 1:
                text.parent.replace(text, [node for node in self.nodes(parts) if node.astext()])

    def nodes(self, parts):
        yield nodes.Text(parts[0])
        for name, section, after in zip(parts[1::3], parts[2::3], parts[3::3]):
            yield self.link(f"{name}({section})", f"manual/{name}.{section}")
            yield nodes.Text(after)

    def link(self, text, page):
        if page not in self.env.found_docs:
            return nodes.Text(text)
        shown = nodes.inline("", text)
        return addnodes.pending_xref("", shown, refdomain="std", reftype="doc", reftarget=f"/{page}", refexplicit=True)


def add_subpages(app, page, source):
    """Adds all pages of doc/design and doc/measurements to the navigation, below the folder's
    README."""
    if page in ("doc/design/README", "doc/measurements/README"):
        source[0] += SUBPAGES


def setup(app):
    app.add_transform(DarkPictures)
    app.add_transform(ManualLinks)
    app.connect("source-read", add_subpages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
