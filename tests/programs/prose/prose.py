# SPDX-License-Identifier: LGPL-3.0-or-later
"""Finds words that are in a list of patterns, and long sentences, in comments and Markdown
documents. prose.py PATTERNS WORDS [FILE ...] prints FILE:LINE: the words found, and what to write
instead. A sentence may have at most WORDS words. Without a FILE, it reads file names from standard
input. Exit status 1 if anything was found."""

import re
import sys

# The expression also matches string literals, so that comment delimiters inside a literal are
# ignored.
LITERAL = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
C_COMMENT = re.compile(LITERAL + r'|/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)', re.S)
SHELL_COMMENT = re.compile(r'^[ \t]*#(?P<line>(?![!])[^\n]*(?:\n[ \t]*#[^\n]*)*)', re.M)
# an indented line in a comment, which contains a formula or code
DISPLAY = re.compile(r'^[ \t]*[*#]     [^\n]*', re.M)
SENTENCE_END = re.compile(r'(?<=[.;:!?])["\')]*\s+')


def blank(text):
    """Replaces all characters except line breaks by spaces, so that offsets in the file stay the
    same."""
    return re.sub(r'[^\n]', ' ', text)


def comments(text, is_comment, prefix):
    """Yields (offset, text) for each comment.  The prefixes of its lines (such as * or #) are
    replaced by spaces."""
    for match in is_comment.finditer(text):
        for name, body in match.groupdict().items():
            if body is not None and not body.startswith('@'):  # a contract for Frama-C is code
                body = DISPLAY.sub(lambda found: blank(found.group()), body)
                body = re.sub(prefix, lambda found: blank(found.group()), body)
                yield match.start(name), re.sub(r'SPDX-[^\n]*', lambda found: blank(found.group()), body)


def markdown(text):
    """Yields (offset, text) for each paragraph, list entry and table cell of a Markdown page."""
    text = re.sub(r'^ *(```|~~~).*?^ *\1', lambda found: blank(found.group()), text, flags=re.M | re.S)
    text = re.sub(r'<!--.*?-->', lambda found: blank(found.group()), text, flags=re.S)
    text = re.sub(r'\]\([^)]*\)', lambda found: ']' + blank(found.group()[1:]), text)
    # A table cell, a heading and a list entry each end a sentence.
    for match in re.finditer(r'(?:(?!\n[ \t]*(?:\n|[-*#|>+]|[0-9]+\. ))[^|])+', text):
        yield match.start(), match.group()


def units(name, text):
    """Yields (offset, text) for each piece of prose in the file.  Each word in backquotes is
    replaced by x."""
    for offset, unit in parts(name, text):
        yield offset, re.sub(r'`[^`]*`', lambda found: re.sub(r'[^\n]', 'x', found.group()), unit)


def parts(name, text):
    if name.endswith('.md'):
        yield from markdown(text)
    elif name.endswith(('.sh', '.am')):
        for offset, body in comments(text, SHELL_COMMENT, r'\n[ \t]*#'):
            yield from paragraphs(offset, body)
    else:
        for offset, body in comments(text, C_COMMENT, r'\n[ \t]*\*(?!/)'):
            yield from paragraphs(offset, body)


def paragraphs(offset, text):
    """Splits text at empty lines, and before lines that look like a list entry or a table row."""
    for match in re.finditer(r'(?:(?!\n[ \t]*(?:\n|[-*] | {5}\S+ {2,}))[\s\S])+', text):
        yield offset + match.start(), match.group()


def sentences(text):
    """Yields (offset, sentence)."""
    begin = 0
    for match in SENTENCE_END.finditer(text):
        yield begin, text[begin:match.start()]
        begin = match.end()
    yield begin, text[begin:]


def findings(name, text, patterns, most):
    """Yields (line, message)."""
    def line(offset):
        return text.count('\n', 0, offset) + 1

    for offset, unit in units(name, text):
        for pattern, instead in patterns:
            for match in pattern.finditer(unit):
                words = ' '.join(match.group().split())
                yield line(offset + match.start()), f'"{words}": write: {instead}'
        for begin, sentence in sentences(unit):
            words = [word for word in sentence.split() if re.search(r'\w', word)]
            if len(words) > most:
                first = ' '.join(words[:6])
                begin += len(sentence) - len(sentence.lstrip())
                yield line(offset + begin), f'{len(words)} words: "{first} ...": write two sentences'


def read_patterns(name):
    """Returns the list of (compiled expression, replacement text).  The third column of the file is
    only for the test."""
    with open(name, encoding='utf-8') as lines:
        entries = [line.rstrip('\n').split('\t') for line in lines if line.strip() and line[0] != '#']
    return [(re.compile(pattern.replace(' ', r'\s+')), instead) for pattern, instead, _ in entries]


def main():
    patterns, most = read_patterns(sys.argv[1]), int(sys.argv[2])
    found = 0
    for name in sys.argv[3:] or sys.stdin.read().split('\n'):
        if not name:
            continue
        with open(name, encoding='utf-8') as file:
            text = file.read()
        for line, message in sorted(findings(name, text, patterns, most)):
            print(f'{name}:{line}: {message}')
            found += 1
    return 1 if found else 0


sys.exit(main())
