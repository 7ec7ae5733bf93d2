/* SPDX-License-Identifier: LGPL-3.0-or-later
 * gmp_scanf and related functions.  This file handles formats of decimal GMP numbers, white space,
 * literal characters and %n.  GMP handles all other formats. */
#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf_set_str.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/algorithms/text/text_stream.h"
#include "lib/gmp/real.h"

/* ---- the input: a stream or a string */

struct scanf_input {
    FILE *stream;  /* or NULL */
    const char *s; /* the part of the string that is not read yet */
    size_t read;   /* the number of characters read so far */
    bool locked;   /* the caller has locked the stream, to read many characters faster */
};

/* Reads the next character, or EOF. Counts EOF as a character, until scanf_input_back unreads
 * it. */
static int scanf_input_next(struct scanf_input *in) {
    in->read++;
    if (in->stream)
        return in->locked ? getc_unlocked(in->stream) : getc(in->stream);
    return *in->s ? (unsigned char)*in->s++ : EOF;
}

/* Unreads c, which must be the last character read. */
static void scanf_input_back(struct scanf_input *in, int c) {
    in->read--;
    if (in->stream)
        ungetc(c, in->stream);
    else if (c != EOF)
        in->s--;
}

/* Skips white space. Returns the next character, or EOF. */
static int scanf_input_skip(struct scanf_input *in) {
    int c;
    while (isspace(c = scanf_input_next(in)))
        ;
    return c;
}

/* ---- reads numbers */

enum { SMALL = 256 }; /* the bytes of a text that needs no allocated block */

/* The text of a number read so far, and `c`, the character that follows this text in the input. */
struct text {
    struct scanf_input *in;
    int c;
    struct text_block b;
};

static void take(struct text *t) {
    *text_block_room(&t->b, 1) = (char)t->c;
    t->b.n++;
    t->c = scanf_input_next(t->in);
}

/* Reads a sign. Omits a plus from the text, because GMP's functions reject it. */
static void take_sign(struct text *t) {
    if (t->c == '-')
        take(t);
    else if (t->c == '+')
        t->c = scanf_input_next(t->in);
}

static bool is_digit(const struct text *t) {
    return t->c >= '0' && t->c <= '9';
}

/* Reads digits until the number ends or the block is full. */
static void take_part(struct text *t) {
    for (; is_digit(t) && t->b.n < t->b.bytes; t->c = scanf_input_next(t->in))
        t->b.s[t->b.n++] = (char)t->c;
}

static void take_locked(struct text *t) {
    t->in->locked = true;
    TEXT_STREAM_LOCKED(t->in->stream, take_part(t));
    t->in->locked = false;
}

static size_t take_digits(struct text *t) {
    size_t n = t->b.n;
    while (is_digit(t)) {
        text_block_room(&t->b, 1);
        if (t->in->stream)
            take_locked(t);
        else
            take_part(t);
    }
    return t->b.n - n;
}

static bool take_integer(struct text *t) {
    take_sign(t);
    return take_digits(t) > 0;
}

static bool take_fraction(struct text *t) {
    if (!take_integer(t))
        return false;
    if (t->c != '/')
        return true;
    take(t);
    return take_integer(t);
}

/* Reads a floating-point number. Returns false if there is no digit before or behind the point, or
 * there is an exponent without digits. */
static bool take_float(struct text *t) {
    take_sign(t);
    size_t digits = take_digits(t);
    if (t->c == *localeconv()->decimal_point) {
        take(t);
        digits += take_digits(t);
    }
    if (digits == 0)
        return false;
    if (t->c != 'e' && t->c != 'E')
        return true;
    take(t);
    return take_integer(t);
}

/* Sets numerator q[0] and denominator q[1] to the fraction in the text {s, n}. */
static bool set_mpq(struct composite *w, mpz_ptr *q, const char *s, size_t n) {
    const char *slash = memchr(s, '/', n);
    size_t first = slash ? (size_t)(slash - s) : n;
    if (!text_integer_read(w, 10, q[0], s, first))
        return false;
    if (slash)
        return text_integer_read(w, 10, q[1], slash + 1, n - first - 1);
    mpz_set_ui(q[1], 1);
    return true;
}

/* Sets the variable to the number in the text {s, n}. A text of the number 0 is converted by
 * GMP. */
static void set(enum call_row row, char type, void *variable, const char *s, size_t n) {
    size_t size = text_integer_limbs(n);
    mpz_ptr z = variable;
    mpq_ptr q = variable;
    if (type == 'Z')
        CALL_RESULTS(w, x, (z), row, size, &thresholds.set_str, size,
                     text_integer_read(w, 10, x[0], s, n), real.mpz_set_str(z, s, 10));
    else if (type == 'Q')
        CALL_RESULTS(w, x, (mpq_numref(q), mpq_denref(q)), row, size, &thresholds.set_str, size,
                     set_mpq(w, x, s, n), real.mpq_set_str(q, s, 10));
    else
        mpf_set_str_of(row, variable, s, 10);
}

static bool take_number(struct text *t, char type) {
    return type == 'Z' ? take_integer(t) : type == 'Q' ? take_fraction(t) : take_float(t);
}

static bool read_number(struct text *t, char type) {
    bool good = take_number(t, type);
    scanf_input_back(t->in, t->c);
    return good;
}

/* Reads a decimal number of type Z, Q or F, whose text begins with c, and sets x to it. Leaves the
 * character behind the number in the input. Returns false if there is no number. */
static bool scanf_number(enum call_row row, struct scanf_input *in, int c, char type, void *x) {
    struct text t = {.in = in, .c = c};
    char small[SMALL];
    text_block_open_small(&t.b, small, sizeof small);
    bool good = read_number(&t, type);
    if (good) {
        const char *s = text_block_string(&t.b);
        set(row, type, x, s, t.b.n);
    }
    text_block_free(&t.b);
    return good;
}

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

/* Reads one character, which must be `wanted`.  As in GMP, a negative `wanted` matches no
 * character, except that -1 matches the end of the input (EOF). */
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

/* Reads each number before it decides whether the device converts the digits, because the length of
 * a number in a stream is known only at its end. */
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
