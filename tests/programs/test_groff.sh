#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that groff prints no warning for any manual page.
. "$(dirname "$0")/../support/common.sh"
need_command groff
ls "$srcdir"/doc/*.[1-8] >/dev/null 2>&1 || skip "no manual pages here"
for page in "$srcdir"/doc/*.[1-8]; do
    groff -man -ww -z "$page" >"$work/warnings" 2>&1 || true
    [ ! -s "$work/warnings" ] || fail "$(cat "$work/warnings")"
    echo "$(basename "$page"): no warning"
done
