/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Formats the large numbers among the arguments of gmp_printf. */
#include "compat/stdio/printf_number.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/memory/wipe.h"

/* ---- %Ff, %Fe and %Fg. Requests the same number of digits as GMP from mpf_get_str: for %Ff a few
 * more than needed, which are rounded again. */

enum { BASE = 10, LIMB_DIGITS = 19, DEFAULT_PRECISION = 6, MOST_EXPONENT = INT_MAX / 32 };

/* A decimal number: its digits, and the place of the decimal point, which may be outside the
 * digits. */
struct decimal {
    unsigned char *value; /* {value, n} are the digits; the number is 0.VALUE * 10^exp */
    size_t n;
    long exp;
    /* The number of digits for %Fg, otherwise the number of digits behind the point. PRINTF_ALL:
     * all digits. */
    long precision;
};

static long precision_of(const struct printf_spec *s) {
    return s->precision == PRINTF_NONE ? DEFAULT_PRECISION : s->precision;
}

/* Returns the number of digits to request from the conversion; 0 means all. For %Ff, estimates the
 * digits before the point from the exponent. */
static size_t digits_of(const struct printf_spec *s) {
    long precision = precision_of(s), exp = ((mpf_srcptr)s->number)->_mp_exp;
    if (precision == PRINTF_ALL)
        return 0;
    if (s->conversion == 'e')
        return (size_t)precision + 1;
    if (s->conversion == 'f')
        precision += 3 + exp * (LIMB_DIGITS + (exp >= 0));
    return precision < 1 ? 1 : (size_t)precision;
}

static struct text_float asked_for(const struct printf_spec *s) {
    size_t digits = digits_of(s), most = text_float_most_digits(BASE, s->number);
    return (struct text_float){.base = BASE, .digits = digits && digits < most ? digits : most};
}

/* Do the work of printf_number_size and printf_number_append (printf_number.h) for %Ff, %Fe and
 * %Fg. They write a minus sign, but no other sign or padding. */
static size_t printf_float_size(const struct printf_spec *s) {
    mpf_srcptr u = s->number;
    if (s->conversion == 'g' && s->precision == PRINTF_ALL)
        return 0;
    if (!strchr("efg", s->conversion) || u->_mp_size == 0 || u->_mp_exp > MOST_EXPONENT ||
        u->_mp_exp < -MOST_EXPONENT)
        return 0;
    return text_float_limbs(BASE, asked_for(s).digits);
}

/* Rounds x to n digits. If n is negative, the result is 0. */
static void round_digits(struct decimal *x, long n) {
    if ((long)x->n <= n)
        return;
    if (n < 0) {
        x->n = 0;
        x->exp = 0;
        return;
    }
    bool is_up = x->value[n] >= BASE / 2;
    x->n = (size_t)n;
    while (x->n > 0 && x->value[x->n - 1] == (is_up ? BASE - 1 : 0))
        x->n--;
    if (is_up && x->n > 0) {
        x->value[x->n - 1]++;
    } else if (is_up) {
        x->value[0] = 1;
        x->n = 1;
        x->exp++;
    } else if (x->n == 0) {
        x->exp = 0;
    }
}

static void add_digits(struct text_block *b, const unsigned char *value, size_t n) {
    text_base_characters(text_block_room(b, n), value, n, BASE, "0123456789");
    b->n += n;
}

/* Appends the point, `zeros` zeros, and the digits of x behind the first `before` digits. Then
 * appends zeros until `least` characters follow the point. */
static void add_fraction(struct text_block *b, const struct decimal *x, size_t before, size_t zeros,
                         size_t least) {
    size_t n = x->n - before, all = zeros + n < least ? least : zeros + n;
    const char *point = localeconv()->decimal_point;
    if (all)
        text_block_add(b, point, strlen(point));
    text_block_fill(b, '0', zeros);
    add_digits(b, x->value + before, n);
    text_block_fill(b, '0', all - zeros - n);
}

static void add_fixed(struct text_block *b, const struct decimal *x, size_t least) {
    size_t before = 0, zeros = 1;
    if (x->exp > 0) {
        before = (long)x->n < x->exp ? x->n : (size_t)x->exp;
        zeros = (size_t)x->exp - before;
    }
    add_digits(b, x->value, before);
    text_block_fill(b, '0', zeros);
    add_fraction(b, x, before, x->exp < 0 ? (size_t)-x->exp : 0, least);
}

static void add_scientific(struct text_block *b, const struct decimal *x, size_t least) {
    char exponent[32];
    long e = x->exp - 1;
    add_digits(b, x->value, 1);
    add_fraction(b, x, 1, 0, least);
    int n = snprintf(exponent, sizeof exponent, "e%c%02ld", e < 0 ? '-' : '+', e < 0 ? -e : e);
    text_block_add(b, exponent, (size_t)n);
}

static void add(struct text_block *b, struct decimal *x, const struct printf_spec *s) {
    size_t least = x->precision < 0 ? 0 : (size_t)x->precision;
    if (s->conversion == 'f') {
        if (x->precision >= 0)
            round_digits(x, x->exp + x->precision);
        add_fixed(b, x, least);
    } else if (s->conversion == 'e') {
        add_scientific(b, x, least);
    } else {
        long most = x->precision < 1 ? 1 : x->precision;
        if (x->exp - 1 < -4 || x->exp - 1 >= most)
            add_scientific(b, x, 0);
        else
            add_fixed(b, x, 0);
    }
}

static bool printf_float_append(struct composite *w, struct text_block *b,
                                const struct printf_spec *s) {
    mpf_srcptr u = s->number;
    struct text_float f = asked_for(s);
    size_t bytes = text_float_room(BASE, f.digits);
    f.value = malloc(bytes);
    bool done = f.value && text_float_get(w, &f, u);
    struct decimal x = {f.value, f.n, f.exp, precision_of(s)};
    if (done && u->_mp_size < 0)
        text_block_add(b, "-", 1);
    if (done)
        add(b, &x, s);
    wipe_free(f.value, bytes);
    return done;
}

static const char decimal[] = "0123456789";

static size_t size_of_mpq(mpq_srcptr q) {
    size_t n = (size_t)abs(mpq_numref(q)->_mp_size), d = (size_t)abs(mpq_denref(q)->_mp_size);
    return n > d ? n : d;
}

size_t printf_number_size(const struct printf_spec *s) {
    if (!s->number || s->other || (s->left && s->zeros))
        return 0;
    if (s->type == 'F')
        return printf_float_size(s);
    if (!strchr("diu", s->conversion))
        return 0;
    if (s->type == 'Z')
        return s->precision == PRINTF_ALL ? 0 : (size_t)abs(((mpz_srcptr)s->number)->_mp_size);
    return s->precision == PRINTF_NONE ? size_of_mpq(s->number) : 0;
}

static void insert(struct text_block *b, size_t at, char c, size_t n) {
    if (n == 0)
        return;
    text_block_room(b, n);
    memmove(b->s + at + n, b->s + at, b->n - at);
    memset(b->s + at, c, n);
    b->n += n;
}

/* Extends the digits at byte `begin` of the text to what the conversion must print: adds the sign,
 * zeros for the precision, and padding for the width. */
static void finish(struct text_block *b, const struct printf_spec *s, size_t begin,
                   struct printf_pieces *p) {
    bool negative = b->s[begin] == '-', has_zeros = s->type != 'F' && s->precision > 0;
    size_t sign = negative || s->sign, digits = b->n - begin - negative;
    size_t zeros = has_zeros && (size_t)s->precision > digits ? (size_t)s->precision - digits : 0;
    size_t length = sign + zeros + digits, width = (size_t)s->width;
    size_t fill = length < width ? width - length : 0;
    if (s->sign && !negative)
        insert(b, begin, s->sign, 1);
    insert(b, begin + sign, '0', zeros + (s->zeros && !s->left ? fill : 0));
    printf_pieces_add(p, PIECE_PADDING, s->left || s->zeros ? 0 : fill);
    printf_pieces_add(p, PIECE_PADDING, sign);
    printf_pieces_add(p, PIECE_PADDING, zeros);
    printf_pieces_add(p, PIECE_PADDING, s->zeros && !s->left ? fill : 0);
    printf_pieces_add_digits(p, s, b->s + b->n - digits, digits);
    printf_pieces_add(p, PIECE_PADDING, s->left ? fill : 0);
    if (s->left)
        text_block_fill(b, ' ', fill);
    else if (!s->zeros)
        insert(b, begin, ' ', fill);
}

static bool append_mpq(struct composite *w, struct text_block *b, mpq_srcptr q) {
    mpz_srcptr d = mpq_denref(q);
    if (!text_integer_append(w, 10, decimal, b, mpq_numref(q)))
        return false;
    if (d->_mp_size == 1 && d->_mp_d[0] == 1)
        return true;
    text_block_add(b, "/", 1);
    return text_integer_append(w, 10, decimal, b, d);
}

static bool append(struct composite *w, struct text_block *b, const struct printf_spec *s) {
    if (s->type == 'F')
        return printf_float_append(w, b, s);
    if (s->type == 'Q')
        return append_mpq(w, b, s->number);
    return text_integer_append(w, 10, decimal, b, s->number);
}

bool printf_number_append(struct composite *w, struct text_block *b, const struct printf_spec *s,
                          struct printf_pieces *p) {
    size_t begin = b->n;
    bool done = append(w, b, s);
    if (done)
        finish(b, s, begin, p);
    else
        b->n = begin;
    return done;
}
