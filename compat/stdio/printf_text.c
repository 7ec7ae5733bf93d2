/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Formats a whole text: this library converts the large numbers, GMP formats the parts between
 * them. */
#include "compat/stdio/printf_text.h"

#include <string.h>

#include "compat/stdio/printf_number.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"

enum { SMALL = 256 }; /* the bytes of a format that needs no allocated block */

size_t printf_text_size(const char *format, struct printf_arguments *a) {
    struct printf_arguments rest;
    struct printf_spec s;
    size_t most = 0;
    bool is_known;
    va_copy(rest.list, a->list);
    while ((is_known = printf_spec_next(&s, format, &rest)) && s.begin) {
        size_t size = printf_number_size(&s);
        most = size > most ? size : most;
        format = s.end;
    }
    va_end(rest.list);
    return is_known ? most : 0;
}

/* A part of a format that GMP formats. The list `a` begins with the argument of the part's first
 * conversion. */
struct part {
    const char *begin, *end;
    struct printf_arguments a;
};

static bool append_by_gmp(struct text_block *b, struct part *part) {
    struct text_block format;
    char *s = NULL, small[SMALL];
    size_t n = (size_t)(part->end - part->begin);
    text_block_open_small(&format, small, sizeof small);
    text_block_add(&format, part->begin, n);
    int length = real.gmp_vasprintf(&s, text_block_string(&format), part->a.list);
    text_block_free(&format);
    if (length < 0)
        return false;
    text_block_add(b, s, (size_t)length);
    memory_free_gmps(s, (size_t)length + 1);
    return true;
}

static bool append_part(struct text_block *b, struct part *part, struct printf_pieces *p) {
    size_t n = (size_t)(part->end - part->begin), before = b->n;
    bool done = true;
    if (memchr(part->begin, '%', n))
        done = append_by_gmp(b, part);
    else
        text_block_add(b, part->begin, n);
    printf_pieces_add(p, PIECE_FORMAT, b->n - before);
    return done;
}

/* Formats the part of the format that ends in front of the conversion s, and appends its text, then
 * the number of s. Lets the next part begin behind s. */
static bool append_number(struct composite *w, struct text_block *b, struct part *part,
                          const struct printf_spec *s, struct printf_arguments *rest,
                          struct printf_pieces *p) {
    part->end = s->begin;
    if (!append_part(b, part, p) || !printf_number_append(w, b, s, p))
        return false;
    part->begin = s->end;
    va_end(part->a.list);
    va_copy(part->a.list, rest->list);
    return true;
}

/* Returns true if this library must convert the number, instead of GMP with the text around it. In
 * a stream, each number is a piece of its own. Otherwise this library converts only large
 * numbers. */
static bool is_apart(const struct printf_spec *s, const struct printf_pieces *p) {
    return p ? printf_number_size(s) > 0
             : !thresholds_is_small(printf_number_size(s), &thresholds.get_str);
}

bool printf_text_append(struct composite *w, struct text_block *b, const char *format,
                        struct printf_arguments *a, struct printf_pieces *p) {
    struct printf_arguments rest;
    struct printf_spec s = {.end = format};
    struct part part = {.begin = format};
    bool good = true;
    va_copy(rest.list, a->list);
    va_copy(part.a.list, a->list);
    while (good && printf_spec_next(&s, s.end, &rest) && s.begin) {
        if (is_apart(&s, p))
            good = append_number(w, b, &part, &s, &rest, p);
    }
    part.end = strchr(part.begin, 0);
    good = good && append_part(b, &part, p);
    va_end(rest.list);
    va_end(part.a.list);
    return good;
}
