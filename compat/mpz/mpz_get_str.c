/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_get_str and mpz_out_str. */
#include <stdio.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/gmp/real.h"

/* Returns the absolute value of `base`, and sets *characters to the kind of its digits
 * (kernels/radix/text.h). Returns 0 if GMP must convert the number. GMP converts the bases 0, 1 and
 * -1, which mean 10. */
static int base_of(int base, unsigned *characters) {
    *characters = base > 0 && base <= 36 ? TEXT_SMALL : TEXT_LARGE;
    if (base > 62 || base < -36 || !radix_is_for(base < 0 ? -base : base))
        return 0;
    return base < 0 ? -base : base;
}

/* The text that a call requests: its base, length and memory. */
struct text {
    int base;
    unsigned characters;
    size_t length;       /* the bytes of the text without the NUL */
    struct text_block b; /* memory for the text if the program provides none */
};

/* Writes the sign and the digits of u, and a NUL, to s. Returns false if the device did not convert
 * u. */
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

/* Writes the text of u to a new block t->b. */
static bool new_text(struct composite *w, struct text *t, mpz_srcptr u) {
    text_block_open(&t->b, radix_digits(t->base, mpz_size(u)) + 2);
    bool done = write_text(w, t, t->b.s, u);
    t->b.n = t->length;
    if (!done)
        text_block_free(&t->b);
    return done;
}

/* Writes the text of u to *s. If *s is NULL, sets it to a new block from the program's memory
 * functions. */
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

/* Writes a large number to the stream. The time in the statistics includes the conversion, but not
 * the writing. */
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
