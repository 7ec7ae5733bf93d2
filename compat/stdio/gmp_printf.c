/* SPDX-License-Identifier: LGPL-3.0-or-later
 * gmp_printf and related functions.  If an argument is a large number, this file formats the text
 * and writes it; GMP handles all other calls. */
#include <limits.h>
#include <obstack.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "compat/stdio/printf_number.h"
#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"

/* ---- a whole text: this library converts the large numbers, GMP formats the parts between them */

enum { SMALL = 256 }; /* the bytes of a format that needs no allocated block */

/* Returns the number of limbs of the largest number that this library would convert. Returns 0 if
 * there is none, or only GMP can handle the format. Does not change the list. */
static size_t printf_text_size(const char *format, struct printf_arguments *a) {
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

/* Appends the text before the conversion s, formatted by GMP, then the number that s prints. The
 * next part begins behind s. */
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

/* Returns true if this library must convert the number itself: any number if the output is a stream
 * (p is not NULL), otherwise only a large one. GMP converts all others with the text around
 * them. */
static bool is_apart(const struct printf_spec *s, const struct printf_pieces *p) {
    return p ? printf_number_size(s) > 0
             : !thresholds_is_small(printf_number_size(s), &thresholds.get_str);
}

/* Appends the text to block b. If `p` is not NULL, records there the pieces that GMP would write.
 * Returns false if a conversion fails; the caller then calls GMP's function. */
static bool printf_text_append(struct composite *w, struct text_block *b, const char *format,
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

static bool make_text(struct composite *w, struct text_block *b, const char *format,
                      struct printf_arguments *a, struct printf_pieces *p) {
    text_block_open(b, 256);
    bool done = printf_text_append(w, b, format, a, p) && b->n <= INT_MAX;
    if (!done)
        text_block_free(b);
    return done;
}

static bool is_small(const char *format, struct printf_arguments *a) {
    return thresholds_is_small(printf_text_size(format, a), &thresholds.get_str);
}

/* The body of gmp_printf and related functions. `make` formats the text in block b; `deliver`
 * writes the block to its destination.  If no number is large, executes `by_gmp`. */
#define PRINT(row, format, ap, make, deliver, by_gmp)                                              \
    do {                                                                                           \
        struct printf_arguments a;                                                                 \
        struct text_block b = {.s = NULL};                                                         \
        int result = 0;                                                                            \
        va_copy(a.list, ap);                                                                       \
        if (is_small(format, &a)) {                                                                \
            result = by_gmp;                                                                       \
        } else {                                                                                   \
            size_t size = printf_text_size(format, &a);                                            \
            bool is_ours = true;                                                                   \
            CALL_COMPOSITE(w, row, size, &thresholds.get_str, size, make,                          \
                           (is_ours = false, result = by_gmp));                                    \
            if (is_ours)                                                                           \
                result = deliver;                                                                  \
        }                                                                                          \
        va_end(a.list);                                                                            \
        return result;                                                                             \
    } while (0)

/* Formats the text for a stream, and divides it into the pieces that GMP would write
 * (printf_pieces.h). */
static bool make_pieces(struct composite *w, struct text_block *b, const char *format,
                        struct printf_arguments *a, struct printf_pieces *p) {
    printf_pieces_open(p);
    bool done = make_text(w, b, format, a, p);
    if (!done)
        printf_pieces_free(p);
    return done;
}

/* Copies the text to s, at most `size` bytes including the NUL. Returns the length of the whole
 * text, as snprintf does. */
static int copy_to(char *s, size_t size, struct text_block *b) {
    size_t n = size && b->n > size - 1 ? size - 1 : b->n;
    if (size) {
        memcpy(s, b->s, n);
        s[n] = 0;
    }
    text_block_free(b);
    return (int)b->n;
}

static int give(char **s, struct text_block *b) {
    size_t n = b->n;
    *s = text_block_give(b);
    return (int)n;
}

static int grow(struct obstack *o, struct text_block *b) {
    obstack_grow(o, b->s, b->n);
    text_block_free(b);
    return (int)b->n;
}

static int print_file(enum call_row row, FILE *stream, const char *format, va_list ap) {
    struct printf_pieces p;
    PRINT(row, format, ap, make_pieces(w, &b, format, &a, &p), printf_pieces_write(&p, &b, stream),
          real.gmp_vfprintf(stream, format, a.list));
}

static int print_string(enum call_row row, char *s, size_t limit, const char *format, va_list ap) {
    PRINT(row, format, ap, make_text(w, &b, format, &a, NULL), copy_to(s, limit, &b),
          limit == SIZE_MAX ? real.gmp_vsprintf(s, format, a.list)
                            : real.gmp_vsnprintf(s, limit, format, a.list));
}

static int print_new(enum call_row row, char **s, const char *format, va_list ap) {
    PRINT(row, format, ap, make_text(w, &b, format, &a, NULL), give(s, &b),
          real.gmp_vasprintf(s, format, a.list));
}

static int print_obstack(enum call_row row, struct obstack *o, const char *format, va_list ap) {
    PRINT(row, format, ap, make_text(w, &b, format, &a, NULL), grow(o, &b),
          real.__gmp_obstack_vprintf(o, format, a.list));
}

#define PRINTF(name, vname, parameters, print, ...)                                                \
    EXPORT int vname(PRINTF_UNPACK parameters const char *format, va_list ap) {                    \
        return print(CALL_ROW(vname), __VA_ARGS__, format, ap);                                    \
    }                                                                                              \
    EXPORT int name(PRINTF_UNPACK parameters const char *format, ...) {                            \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        int result = print(CALL_ROW(name), __VA_ARGS__, format, ap);                               \
        va_end(ap);                                                                                \
        return result;                                                                             \
    }
#define PRINTF_UNPACK(...) __VA_ARGS__

PRINTF(gmp_printf, gmp_vprintf, (), print_file, stdout)
PRINTF(gmp_fprintf, gmp_vfprintf, (FILE * stream, ), print_file, stream)
PRINTF(gmp_sprintf, gmp_vsprintf, (char *s, ), print_string, s, SIZE_MAX)
PRINTF(gmp_snprintf, gmp_vsnprintf, (char *s, size_t size, ), print_string, s, size)
PRINTF(gmp_asprintf, gmp_vasprintf, (char **s, ), print_new, s)
PRINTF(gmp_obstack_printf, gmp_obstack_vprintf, (struct obstack * o, ), print_obstack, o)
