/* SPDX-License-Identifier: LGPL-3.0-or-later
 * gmp_scanf and related functions.  This file handles formats of decimal GMP numbers, white space,
 * literal characters and %n.  GMP handles all other formats. */
#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compat/stdio/scanf_number.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/gmp/real.h"

/* The conversion types that this file handles. It reads floating-point numbers only from strings:
 * in a stream they might be hexadecimal, which cannot be known in advance. */
static const char of_streams[] = "ZQ", of_strings[] = "ZQF";

/* Returns the length of the conversion at p, which follows its percent sign. Returns 0 if GMP must
 * handle it. */
static size_t conversion_at(const char *p, const char *types) {
    if (*p == 'n')
        return 1;
    if (!*p || !p[1] || !strchr(types, *p))
        return 0;
    return strchr(*p == 'F' ? "efg" : "du", p[1]) ? 2 : 0;
}

static bool is_known(const char *format, const char *types) {
    bool has_number = false;
    for (const char *p = format; (p = strchr(p, '%')) != NULL;) {
        size_t n = conversion_at(++p, types);
        if (n == 0)
            return false;
        has_number |= n == 2;
        p += n;
    }
    return has_number;
}

struct scan {
    enum call_row row;
    struct scanf_input in;
    va_list list;
    int fields; /* the number of values assigned so far */
};

enum step { GOES_ON, ENDS, AT_END };

static enum step number(struct scan *s, char type) {
    void *x = va_arg(s->list, void *);
    int c = scanf_input_skip(&s->in);
    if (c == EOF)
        return AT_END;
    if (!scanf_number(s->row, &s->in, c, type, x))
        return ENDS;
    s->fields++;
    return GOES_ON;
}

/* Reads one character, which must be `wanted`.  As in GMP, `wanted` is a signed char: a negative
 * value matches no character, and -1 matches the end of the input (EOF). */
static enum step character(struct scan *s, char wanted) {
    int c = scanf_input_next(&s->in);
    if (c == wanted)
        return GOES_ON;
    scanf_input_back(&s->in, c);
    return c == EOF ? AT_END : ENDS;
}

/* Processes the next element of the format: white space, a character or a conversion. Advances *p
 * behind the element. */
static enum step step(struct scan *s, const char **p) {
    char c = *(*p)++;
    if (isspace((unsigned char)c)) {
        scanf_input_back(&s->in, scanf_input_skip(&s->in));
        return GOES_ON;
    }
    if (c != '%')
        return character(s, c);
    char type = *(*p)++;
    if (type == 'n') {
        *va_arg(s->list, int *) = (int)s->in.read;
        return GOES_ON;
    }
    ++*p;
    return number(s, type);
}

static int scan(struct scan *s, const char *format) {
    enum step result = GOES_ON;
    while (*format && result == GOES_ON)
        result = step(s, &format);
    return result == AT_END && s->fields == 0 ? EOF : s->fields;
}

/* Reads all numbers of the format first. Then decides for each whether the device converts its
 * digits, because the length of a number in a stream is known only at its end. */
static int scan_stream(enum call_row row, FILE *stream, const char *format, va_list list) {
    struct scan s = {.row = row, .in = {.stream = stream}};
    call_init();
    if (!is_known(format, of_streams))
        return real.gmp_vfscanf(stream, format, list);
    va_copy(s.list, list);
    int fields = scan(&s, format);
    va_end(s.list);
    return fields;
}

static bool is_ours(const char *text, const char *format) {
    return is_known(format, of_strings) && !strpbrk(text, "xX") &&
           strlen(localeconv()->decimal_point) == 1;
}

static int scan_text(enum call_row row, const char *text, const char *format, va_list list) {
    struct scan s = {.row = row, .in = {.s = text}};
    call_init();
    if (!is_ours(text, format))
        return real.gmp_vsscanf(text, format, list);
    va_copy(s.list, list);
    int fields = scan(&s, format);
    va_end(s.list);
    return fields;
}

static int scan_string(enum call_row row, const char *text, const char *format, va_list list) {
    INTERCEPT(thresholds_is_small(text_integer_limbs(strlen(text)), &thresholds.set_str),
              real.gmp_vsscanf(text, format, list), scan_text(row, text, format, list));
}

#define SCANF(name, vname, parameters, scan, from)                                                 \
    EXPORT int vname(SCANF_UNPACK parameters const char *format, va_list list) {                   \
        return scan(CALL_ROW(vname), from, format, list);                                          \
    }                                                                                              \
    EXPORT int name(SCANF_UNPACK parameters const char *format, ...) {                             \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int fields = scan(CALL_ROW(name), from, format, list);                                     \
        va_end(list);                                                                              \
        return fields;                                                                             \
    }
#define SCANF_UNPACK(...) __VA_ARGS__

SCANF(gmp_scanf, gmp_vscanf, (), scan_stream, stdin)
SCANF(gmp_fscanf, gmp_vfscanf, (FILE * stream, ), scan_stream, stream)
SCANF(gmp_sscanf, gmp_vsscanf, (const char *text, ), scan_string, text)
