/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the numbers for gmp_scanf. */
#include "compat/stdio/scanf_number.h"

#include <locale.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf_set_str.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/algorithms/text/text_stream.h"
#include "lib/gmp/real.h"

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
 * an exponent has none. */
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

bool scanf_number(enum call_row row, struct scanf_input *in, int c, char type, void *x) {
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
