#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests `make html`, which must build the site without a warning.  Every Markdown and manual page
# must be reachable from the index.  Each link and anchor inside the site must exist, and no page
# may load anything from elsewhere.  The search index must have words of Markdown and of manual
# pages, and each Mermaid block must be a picture.
. "$(dirname "$0")/../support/common.sh"
[ -f "$builddir/Makefile" ] || skip 'no build tree here'
value() {
    sed -n "s/^$1 = *//p" "$builddir/Makefile"
}
[ -z "$(value SITE_MISSING)" ] || skip "make html lacks these packages: $(value SITE_MISSING)"
html=$work/site/html
python=$(value SPHINX_PYTHON)

# Runs `make html` in the build tree, without the flags of the `make check` that runs this test.
make_html() {
    env -u MAKEFLAGS -u MFLAGS make -C "$builddir" SITE="$work/site" html "$@" >"$work/log" 2>&1
}

! make_html SITE_MISSING=' graphviz' || fail 'make html ignores a missing package'
grep -q '^make html needs .* graphviz; ' "$work/log" || fail "make html does not name a missing package"
start=$(date +%s)
make_html || fail "make html: $(tail -n 30 "$work/log")"
echo "make html: $(($(date +%s) - start)) s"
! grep -i 'warning\|error' "$work/log" || fail 'make html prints a warning'

cat >"$work/check.py" <<'PYTHON'
"""Prints what is wrong with the site in the folder argv[1], whose sources are in argv[2]."""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The ids of a page, and its links as (tag, address)."""

    def __init__(self, file):
        super().__init__()
        self.ids, self.links = [], []
        with open(file, encoding="utf-8") as text:
            self.feed(text.read())

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [(tag, value) for name, value in attributes if name in ("href", "src", "srcset", "data")]


def files(folder, *endings):
    """Yields the files with these endings, by their paths inside the folder."""
    for parent, _, names in os.walk(folder):
        yield from (os.path.relpath(os.path.join(parent, name), folder) for name in names if name.endswith(endings))


def target(page, link):
    """Returns the path that the link of the page names, and its anchor."""
    parts = urlsplit(link)
    path = os.path.normpath(os.path.join(os.path.dirname(page), unquote(parts.path))) if parts.path else page
    return path, unquote(parts.fragment)


def faults(site, pages):
    """Yields each link that names nothing of the site, or loads from elsewhere, and ids that occur twice."""
    for name, page in pages.items():
        for double in {one for one in page.ids if page.ids.count(one) > 1}:
            yield f"{name}: the id {double} occurs twice"
        for tag, link in page.links:
            path, anchor = target(name, link)
            if urlsplit(link).scheme or urlsplit(link).netloc:
                if tag != "a":
                    yield f"{name}: <{tag}> loads {link}"
            elif not os.path.exists(os.path.join(site, path)):
                yield f"{name}: nothing is at {link}"
            elif anchor and (path not in pages or anchor not in pages[path].ids):
                yield f"{name}: no anchor {link}"


def reached(pages):
    """Returns the pages that links lead to from index.html."""
    found, new = set(), {"index.html"}
    while new:
        found |= new
        new = {target(name, link)[0] for name in new for tag, link in pages[name].links if tag == "a"} & set(pages) - found
    return found


def wanted(sources):
    """Yields the page that each source becomes."""
    for file in [*os.listdir(sources), *(f"doc/{file}" for file in files(f"{sources}/doc", ".md")), "python/README.md"]:
        if file.endswith(".md") and not file.startswith("doc/site/"):
            yield file[:-3] + ".html"
    for file in os.listdir(f"{sources}/doc"):
        if file[-2:] in (".1", ".3", ".7"):
            yield f"manual/{file}.html"


site, sources = sys.argv[1:]
pages = {name: Page(os.path.join(site, name)) for name in files(site, ".html")}
found = list(faults(site, pages))
found += [f"{name}: no links lead here from index.html" for name in sorted(set(wanted(sources)) - reached(pages))]
print("\n".join(found) or f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
sys.exit(1 if found else 0)
PYTHON
"$python" "$work/check.py" "$html" "$srcdir" || fail 'links of the site'

# The search index must have words of a Markdown page and of a manual page. It must not have the
# first word of this list.
for word in no_page_has_this_word quickstart mpgpu_number_tdiv_q_2exp; do
    grep -q "[{,\"]$word\"*:" "$html/searchindex.js" && echo "$word"
done >"$work/words" || true
printf '%s\n' quickstart mpgpu_number_tdiv_q_2exp | diff - "$work/words" || fail 'the index of the search'

blocks=$(grep -rh --include='*.md' '^```mermaid' "$srcdir/doc" | wc -l)
pictures=$(grep -rho --include='*.html' '<div class="flowchart"><svg' "$html" | wc -l)
[ "$pictures" -eq "$blocks" ] && [ "$blocks" -gt 0 ] || fail "$pictures pictures of $blocks Mermaid blocks"

# Breaks a copy of the site in several ways.  The checks must find each fault.
for fault in '<a href="absent.html">' '<a href="README.html#absent">' '<img src="https://example.org/x.png">'; do
    rm -rf "$work/broken"
    cp -r "$html" "$work/broken"
    echo "$fault" >>"$work/broken/README.html"
    ! "$python" "$work/check.py" "$work/broken" "$srcdir" >"$work/found" || fail "not found: $fault"
    grep '^README.html: ' "$work/found"
done
rm -rf "$work/broken"
rm "$html/HACKING.html"
! "$python" "$work/check.py" "$html" "$srcdir" >"$work/found" || fail 'a missing page is not found'
grep -q '^HACKING.html: no links' "$work/found" || fail 'a page that no link leads to is not found'

# A Mermaid block that the site cannot draw must be an error.
for text in 'flowchart TD' 'flowchart LR
    a ==> b' 'flowchart LR
    a --> b[open'; do
    ! TEXT=$text PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$srcdir/doc/site "$python" -c \
        'import os, mermaid; mermaid.Flowchart(os.environ["TEXT"])' 2>"$work/error" || fail "accepted: $text"
    grep -q '^ValueError: ' "$work/error" || fail "$(cat "$work/error")"
done
rm -rf "$work/site"
