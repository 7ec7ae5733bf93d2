# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs parts of the test suite of Python's module flint (python -m flint.test).

Usage: flint_suite.py all|without|only [NAME]...

A NAME names a test function, or the module of a set of doctests.  `without` omits these parts,
`only` runs no others.  Prints one line for each part: its name, seconds, ok or FAILED.  Exit status
1 if a part failed or none was run."""

import doctest
import sys
import time
import traceback

import flint
from flint.test.__main__ import all_tests, find_doctests


def passes(test):
    try:
        test()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return False
    return True


def doctests_pass(examples):
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    return runner.summarize().failed == 0


def parts():
    for test in all_tests:
        yield test.__name__, passes, test
    for module, examples in find_doctests(flint):
        if examples:
            yield module, doctests_pass, examples


def is_meant(name, how, names):
    return how == "all" or (name in names) == (how == "only")


def main(how, *names):
    failed = count = 0
    for name, run, what in parts():
        if not is_meant(name, how, names):
            continue
        start = time.monotonic()
        good = run(what)
        count += 1
        failed += not good
        print(name, f"{time.monotonic() - start:.1f}", "ok" if good else "FAILED", flush=True)
    print(f"{count} parts, {failed} failed")
    return failed > 0 or count == 0


sys.exit(main(*sys.argv[1:]))
