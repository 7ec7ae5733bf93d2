# SPDX-License-Identifier: LGPL-3.0-or-later
"""Converts the manual pages with mandoc.  Writes a Markdown page for each, and an index, to the
folder manual/."""

import os
import re
import subprocess
from glob import glob
from html import unescape

SECTIONS = {"7": "Overview", "1": "Programs", "3": "Functions of mpgpu.h"}


class Page:
    """A manual page: its name and section, the names that it describes, and its body as HTML."""

    def __init__(self, file):
        self.name, self.section = os.path.basename(file).rsplit(".", 1)
        html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", file], capture_output=True, text=True, check=True).stdout
        body = html[html.index('<div class="manual-text">') + 25 : html.rindex("</div>")]
        body = re.sub(r"</?section\b[^>]*>\n?", "", body)
        # Prefixes each id with term-, so that no id equals one that Sphinx gives to a heading.
        self.body = re.sub(r'( id="|href="#)(?=[^"])', r"\1term-", body)
        summary = re.search(r'id="NAME".*?<p class="Pp">(.*?)</p>', body, re.S)[1]
        names, self.summary = unescape(" ".join(summary.split())).split(" - ", 1)
        self.names = names.split(", ")

    @property
    def title(self):
        return f"{self.name}({self.section})"

    def markdown(self, pages):
        """Returns the page as Markdown: headings in Markdown, the text between them as raw HTML."""
        text = f"# {self.title}\n"
        parts = re.split(r"<h([12])\b[^>]*>(.*?)</h\1>", linked(self.body, pages), flags=re.S)
        for level, heading, html in zip(parts[1::3], parts[2::3], parts[3::3]):
            heading = " ".join(re.sub("<.*?>", "", heading).split())
            text += f"\n#{'#' * int(level)} {unescape(heading)}\n"
            text += f"~~~~~~~~{{raw}} html\n<div class=\"manual\">{html.strip()}</div>\n~~~~~~~~\n" if html.strip() else ""
        return text


def linked(html, pages):
    """Returns the HTML with a link at each mention of a page of this manual, such as
    <b>mpgpu_wait</b>(3)."""

    def link(match):
        page = pages.get(f"{match[1]}({match[2]})")
        return f'<a href="{page.name}.{page.section}.html">{match[0]}</a>' if page else match[0]

    return re.sub(r"<b>([\w-]+)</b>\((\d)\)", link, html)


def index(pages):
    """Returns the index, a list of pages for each section, as Markdown."""
    text = "# Manual pages\n"
    for section, title in SECTIONS.items():
        text += f"\n## {title}\n"
        for page in pages:
            if page.section == section:
                others = ", ".join(f"`{name}`" for name in page.names if name != page.name)
                text += f"- [{page.title}]({page.name}.{section}.md): {page.summary}. {others}\n"
    listed = "\n".join(f"*.{section}" for section in SECTIONS)
    return text + f"\n```{{toctree}}\n:hidden:\n:glob:\n{listed}\n```\n"


def write(app):
    """Writes the converted pages and the index to the folder manual/ in Sphinx's source folder."""
    pages = [Page(file) for file in sorted(glob(os.path.join(app.srcdir, "doc", "*.[137]")))]
    names = {f"{name}({page.section})": page for page in pages for name in [page.name, *page.names]}
    folder = os.path.join(app.srcdir, "manual")
    os.makedirs(folder)
    for page in pages:
        with open(os.path.join(folder, f"{page.name}.{page.section}.md"), "w", encoding="utf-8") as file:
            file.write(page.markdown(names))
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write(index(pages))


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
