/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_inp_str. It reads the number before it decides whether GMP converts the digits, because the
 * length of the number is known only at its end. */
#include "compat/mpz/mpz_inp_str.h"

#include <ctype.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_digits.h"
#include "lib/algorithms/text/text_stream.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"

/* SMALL: the bytes of digits that need no allocated block. DIGIT_BITS: the bits of a digit in base
 * 62. */
enum { SMALL = 256, DIGIT_BITS = 6 };

struct input {
    FILE *stream;
    int c, base;
    size_t bytes; /* bytes read so far, including the character c */
    bool negative;
    struct text_block digits; /* values of the digits, without leading zeros */
    char small[SMALL];        /* memory of `digits` while the number is short */
};

static void next(struct input *in) {
    in->c = getc_unlocked(in->stream);
    in->bytes++;
}

static bool is_digit(const struct input *in) {
    return in->c != EOF && text_base_value((unsigned char)in->c, in->base) < in->base;
}

/* Determines the base from a prefix as in C: 0x, 0b or 0. Reads the prefix. */
static void find_base(struct input *in) {
    in->base = in->c == '0' ? 8 : 10;
    if (in->base == 10)
        return;
    next(in);
    if (in->c == 'x' || in->c == 'X')
        in->base = 16;
    if (in->c == 'b' || in->c == 'B')
        in->base = 2;
    if (in->base != 8)
        next(in);
}

/* Reads the sign, the prefix and leading zeros. Returns false if no digit follows the sign. */
static bool read_front(struct input *in) {
    int base = in->base;
    in->negative = in->c == '-';
    if (in->negative)
        next(in);
    in->base = base ? base : 10;
    if (!is_digit(in))
        return false;
    if (base == 0)
        find_base(in);
    while (in->c == '0')
        next(in);
    return true;
}

/* Reads digits until the number ends or the block is full. */
static void read_digits(struct input *in) {
    struct text_block *b = &in->digits;
    for (; is_digit(in) && b->n < b->bytes; next(in))
        b->s[b->n++] = (char)text_base_value((unsigned char)in->c, in->base);
}

static void read_all_digits(struct input *in) {
    text_block_open_small(&in->digits, in->small, SMALL);
    while (is_digit(in)) {
        text_block_room(&in->digits, 1);
        TEXT_STREAM_LOCKED(in->stream, read_digits(in));
    }
    ungetc(in->c, in->stream);
    in->bytes--;
}

/* Sets x to the number, with GMP's mpn_set_str. Converts the digits in private memory, so that the
 * program's memory functions allocate only the limbs that x needs. */
static void set_by_gmp(mpz_ptr x, const struct input *in) {
    const unsigned char *digits = (const unsigned char *)in->digits.s;
    mpz_t number;
    memory_init_scratch(number, in->digits.n * DIGIT_BITS / GMP_NUMB_BITS + 2);
    mp_size_t n = real.mpn_set_str(number->_mp_d, digits, in->digits.n, in->base);
    mpz_limbs_finish(number, in->negative ? -n : n);
    result_take(x, number);
}

static void set(enum call_row row, mpz_ptr x, const struct input *in) {
    size_t n = in->digits.n, size = n / RADIX_LIMB_DIGITS;
    if ((in->base & (in->base - 1)) == 0)
        size = 0;
    CALL_RESULTS(w, own, (x), row, size, &thresholds.set_str, size,
                 text_digits_set_mpz(w, in->base, own[0], (const unsigned char *)in->digits.s, n,
                                     in->negative),
                 set_by_gmp(x, in));
}

size_t mpz_inp_str_from(enum call_row row, mpz_ptr x, FILE *stream, int base, int c) {
    struct input in;
    in.stream = stream;
    in.c = c;
    in.base = base;
    in.bytes = 1;
    bool good = false;
    if (base > 62)
        return 0;
    TEXT_STREAM_LOCKED(stream, good = read_front(&in));
    if (!good)
        return 0;
    read_all_digits(&in);
    if (in.digits.n)
        set(row, x, &in);
    else
        mpz_set_ui(x, 0);
    text_block_free(&in.digits);
    return in.bytes;
}

EXPORT size_t mpz_inp_str(mpz_ptr x, FILE *stream, int base) {
    size_t spaces = 0;
    int c;
    call_init();
    stream = stream ? stream : stdin;
    while (isspace(c = getc(stream)))
        spaces++;
    size_t bytes = mpz_inp_str_from(CALL_ROW(mpz_inp_str), x, stream, base, c);
    return bytes ? spaces + bytes : 0;
}
