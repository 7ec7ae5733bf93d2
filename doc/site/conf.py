# SPDX-License-Identifier: LGPL-3.0-or-later
"""Configuration of Sphinx for `make html`; build.sh links the sources and calls Sphinx."""

import os
import sys

# Sphinx imports the extensions manual, mermaid and pages from this folder.
sys.path.insert(0, os.path.dirname(__file__))

project = "mpgpu-gmp"
author = "the authors of mpgpu-gmp"
extensions = ["myst_parser", "manual", "mermaid", "pages"]
exclude_patterns = ["doc/site"]
highlight_language = "none"
myst_heading_anchors = 6

html_theme = "furo"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
html_domain_indices = False
# Debian's package of the theme furo selects dark colours by a script that does not work.  These
# settings make the colours follow the browser's preference.
html_theme_options = {
    "dark_css_variables": {
        "color-problematic": "#ee5151",
        "color-foreground-primary": "#d6d6d6",
        "color-foreground-secondary": "#a0a4a9",
        "color-foreground-muted": "#8b9097",
        "color-foreground-border": "#666",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-background-hover": "#23272a",
        "color-background-hover--transparent": "#23272a00",
        "color-background-border": "#34383b",
        "color-background-item": "#444",
        "color-brand-primary": "#5ba4f0",
        "color-brand-content": "#5ba4f0",
        "color-highlighted-background": "#083563",
        "color-highlight-on-target": "#330",
    }
}
