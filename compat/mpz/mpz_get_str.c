/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_get_str and mpz_out_str. */
#include <stdio.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/gmp/real.h"

/* Returns the base of the argument `base`, and sets its characters.  Returns 0 for arguments that
 * are left to GMP: powers of two, invalid bases, and 0, 1 and -1, which mean 10. */
static int base_of(int base, unsigned *characters) {
    *characters = base > 0 && base <= 36 ? TEXT_SMALL : TEXT_LARGE;
    if (base > 62 || base < -36 || !radix_is_for(base < 0 ? -base : base))
        return 0;
    return base < 0 ? -base : base;
}

/* A requested text. */
struct text {
    int base;
    unsigned characters;
    size_t length;       /* without the NUL behind it */
    struct text_block b; /* of a text for which the program has no room */
};

/* Sign and digits of u at s, and a NUL behind them; false if the device did not convert it. */
static bool write_text(struct composite *w, struct text *t, char *s, mpz_srcptr u) {
    size_t sign = u->_mp_size < 0;
    size_t n =
        radix_get(w, (unsigned char *)s + sign, u->_mp_d, mpz_size(u), t->base, t->characters);
    if (sign)
        *s = '-';
    s[sign + n] = 0;
    t->length = sign + n;
    return n > 0;
}

/* Writes the text to a new block. */
static bool new_text(struct composite *w, struct text *t, mpz_srcptr u) {
    text_block_open(&t->b, radix_digits(t->base, mpz_size(u)) + 2);
    bool done = write_text(w, t, t->b.s, u);
    t->b.n = t->length;
    if (!done)
        text_block_free(&t->b);
    return done;
}

/* Writes to *s, or to a new block from the program's memory functions. */
static bool get_str(struct composite *w, struct text *t, char **s, mpz_srcptr u) {
    if (*s)
        return write_text(w, t, *s, u);
    bool done = new_text(w, t, u);
    if (done)
        *s = text_block_give(&t->b);
    return done;
}

static inline bool is_small(mpz_srcptr u) {
    return thresholds_magnitude_is_small(&u->_mp_size, &thresholds.get_str);
}

LARGE char *get_str_large(char *s, int base, mpz_srcptr u) {
    struct text t = {0};
    t.base = base_of(base, &t.characters);
    size_t size = t.base ? mpz_size(u) : 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_get_str), size, &thresholds.get_str, size, get_str(w, &t, &s, u),
                   s = real.mpz_get_str(s, base, u));
    return s;
}

EXPORT char *mpz_get_str(char *s, int base, mpz_srcptr u) {
    INTERCEPT(is_small(u), real.mpz_get_str(s, base, u), get_str_large(s, base, u));
}

/* The time of writing to the stream is not the row's. */
LARGE size_t out_str_large(FILE *stream, int base, mpz_srcptr u) {
    struct text t = {0};
    t.base = base_of(base, &t.characters);
    size_t written = 0, size = t.base ? mpz_size(u) : 0;
    bool is_ours = true;
    CALL_COMPOSITE(w, CALL_ROW(mpz_out_str), size, &thresholds.get_str, size, new_text(w, &t, u),
                   (is_ours = false, written = real.mpz_out_str(stream, base, u)));
    return is_ours ? text_block_write(&t.b, stream) : written;
}

EXPORT size_t mpz_out_str(FILE *stream, int base, mpz_srcptr u) {
    INTERCEPT(is_small(u), real.mpz_out_str(stream, base, u), out_str_large(stream, base, u));
}
