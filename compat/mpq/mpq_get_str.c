/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_get_str and mpq_out_str. */
#include <stdio.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/gmp/real.h"

/* The text that a call requests: its base, length and memory. */
struct text {
    int base;
    const char *characters;
    size_t length;       /* the bytes of the text without the NUL */
    struct text_block b; /* memory for the text if the program provides none */
};

static bool has_denominator(mpq_srcptr q) {
    mpz_srcptr d = mpq_denref(q);
    return !(d->_mp_size == 1 && d->_mp_d[0] == 1);
}

static bool write_text(struct composite *w, struct text *t, char *s, mpq_srcptr q) {
    size_t n = text_integer_write(w, t->base, t->characters, s, mpq_numref(q)), dn = 0;
    if (n && has_denominator(q)) {
        s[n++] = '/';
        dn = text_integer_write(w, t->base, t->characters, s + n, mpq_denref(q));
        n = dn ? n + dn : 0;
    }
    s[n] = 0;
    t->length = n;
    return n > 0;
}

static bool new_text(struct composite *w, struct text *t, mpq_srcptr q) {
    text_block_open(&t->b, text_integer_room(t->base, mpq_numref(q)) + 1 +
                               text_integer_room(t->base, mpq_denref(q)));
    bool done = write_text(w, t, t->b.s, q);
    t->b.n = t->length;
    if (!done)
        text_block_free(&t->b);
    return done;
}

/* Writes the text of q to *s. If *s is NULL, sets it to a new block from the program's memory
 * functions. */
static bool get_str(struct composite *w, struct text *t, char **s, mpq_srcptr q) {
    if (*s)
        return write_text(w, t, *s, q);
    bool done = new_text(w, t, q);
    if (done)
        *s = text_block_give(&t->b);
    return done;
}

static inline bool is_small(mpq_srcptr q) {
    return thresholds_magnitude_is_small(&mpq_numref(q)->_mp_size, &thresholds.get_str) &&
           thresholds_magnitude_is_small(&mpq_denref(q)->_mp_size, &thresholds.get_str);
}

/* Returns the number of limbs of the numerator or of the denominator, whichever is longer. Returns
 * 0 if GMP must convert the fraction. */
static size_t size_of(struct text *t, int base, mpq_srcptr q) {
    size_t n = mpz_size(mpq_numref(q)), d = mpz_size(mpq_denref(q));
    t->base = text_base_of(base, &t->characters);
    return radix_is_for(t->base) ? (n > d ? n : d) : 0;
}

static size_t limbs_of(mpq_srcptr q) {
    return mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q));
}

LARGE char *get_str_large(char *s, int base, mpq_srcptr q) {
    struct text t = {0};
    size_t size = size_of(&t, base, q);
    CALL_COMPOSITE(w, CALL_ROW(mpq_get_str), size, &thresholds.get_str, limbs_of(q),
                   get_str(w, &t, &s, q), s = real.mpq_get_str(s, base, q));
    return s;
}

EXPORT char *mpq_get_str(char *s, int base, mpq_srcptr q) {
    INTERCEPT(is_small(q), real.mpq_get_str(s, base, q), get_str_large(s, base, q));
}

/* Writes a large fraction to the stream. The time in the statistics includes the conversion, but
 * not the writing. */
LARGE size_t out_str_large(FILE *stream, int base, mpq_srcptr q) {
    struct text t = {0};
    size_t written = 0, size = size_of(&t, base, q);
    bool is_ours = true;
    CALL_COMPOSITE(w, CALL_ROW(mpq_out_str), size, &thresholds.get_str, limbs_of(q),
                   new_text(w, &t, q),
                   (is_ours = false, written = real.mpq_out_str(stream, base, q)));
    return is_ours ? text_block_write(&t.b, stream) : written;
}

EXPORT size_t mpq_out_str(FILE *stream, int base, mpq_srcptr q) {
    INTERCEPT(is_small(q), real.mpq_out_str(stream, base, q), out_str_large(stream, base, q));
}
