/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Formats the large numbers among the arguments of gmp_printf. */
#include "compat/stdio/printf_number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "compat/stdio/printf_float.h"
#include "lib/algorithms/text/text_integer.h"

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
