/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_set_str and mpz_init_set_str. This file reads only valid texts. GMP reads all other texts,
 * and reports the errors. */
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/memory/wipe.h"

/* The text of a number: a sign, and digits with white space between them. */
struct text {
    bool negative;
    int base;
    const char *s; /* {s, length}: the text from the first significant digit to the last digit */
    size_t length;
    unsigned char *digits; /* {digits, n}: the values of the digits, which the caller frees */
    size_t n, bytes;
};

/* Returns the first significant digit in s, and sets sign and base of t. Returns NULL if the text
 * is invalid in this base, or GMP must read it. */
static const char *text_start(struct text *t, const char *s) {
    while (isspace((unsigned char)*s))
        s++;
    t->negative = *s == '-';
    s += t->negative;
    if (t->base == 0)
        t->base = *s == '0' ? 0 : 10; /* 0x1, 0b1, 01 */
    if (!radix_is_for(t->base) || t->base > 62 ||
        text_base_value((unsigned char)*s, t->base) >= t->base)
        return NULL;
    while (*s == '0' || isspace((unsigned char)*s))
        s++;
    return s;
}

/* Sets t->digits to the values of the text's digits, without white space. Returns false if the text
 * is empty or invalid, or memory is exhausted. */
static bool text_digits(struct text *t) {
    t->bytes = t->length;
    t->digits = malloc(t->bytes);
    const char *end = t->s + t->length;
    for (const char *s = t->s; t->digits && s < end; s++) {
        size_t run = text_base_values(t->digits + t->n, s, (size_t)(end - s), t->base);
        t->n += run;
        s += run;
        if (s == end)
            break;
        if (!isspace((unsigned char)*s))
            return false;
    }
    return t->n > 0;
}

/* Initialises t with the text {s, length}. Returns false if it has no significant digit, or GMP
 * must read it. */
static bool text_read(struct text *t, const char *s, size_t length, int base) {
    const char *end = s + length;
    *t = (struct text){.base = base};
    t->s = text_start(t, s);
    while (t->s && end > t->s && isspace((unsigned char)end[-1]))
        end--;
    t->length = t->s ? (size_t)(end - t->s) : 0;
    return t->length > 0;
}

/* Sets rp to the number and returns its size in limbs; returns 0 if GMP must read the text. A text
 * that the device rejects is converted again without white space. */
static size_t limbs_of(struct composite *w, mp_ptr rp, struct text *t) {
    size_t rn = radix_set(w, rp, (const unsigned char *)t->s, t->length, t->base, TEXT_LARGE);
    if (rn == 0 && w->sent && text_digits(t))
        rn = radix_set(w, rp, t->digits, t->n, t->base, TEXT_VALUES);
    wipe_free(t->digits, t->bytes);
    return rn;
}

static bool set(struct composite *w, mpz_ptr r, struct text *t) {
    size_t limbs = radix_limbs(t->base, t->length);
    if (limbs > INT_MAX)
        return false;
    size_t rn = limbs_of(w, result_room(r, limbs), t);
    r->_mp_size = t->negative ? -(int)rn : (int)rn;
    return rn > 0;
}

/* Sets r to the number in the text. Returns false if GMP must read the text. */
static bool set_str(struct composite *w, mpz_ptr r, const char *s, size_t length, int base) {
    struct text t;
    return text_read(&t, s, length, base) && set(w, r, &t);
}

/* Returns true if the text is short. Reads only as much of it as the comparison with the threshold
 * needs. */
static inline bool is_small(const char *s) {
    size_t most = atomic_load_explicit(&thresholds.set_str, memory_order_relaxed);
    most = most < PTRDIFF_MAX / RADIX_LIMB_DIGITS ? most * RADIX_LIMB_DIGITS : PTRDIFF_MAX;
    return thresholds_is_small(strnlen(s, most) / RADIX_LIMB_DIGITS, &thresholds.set_str);
}

LARGE int set_str_large(mpz_ptr r, const char *s, int base) {
    size_t length = strlen(s), size = length / RADIX_LIMB_DIGITS;
    int error = 0;
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_set_str), size, &thresholds.set_str, size,
                 set_str(w, x[0], s, length, base), error = real.mpz_set_str(r, s, base));
    return error;
}

EXPORT int mpz_set_str(mpz_ptr r, const char *s, int base) {
    INTERCEPT(is_small(s), real.mpz_set_str(r, s, base), set_str_large(r, s, base));
}

LARGE int init_set_str_large(mpz_ptr r, const char *s, int base) {
    size_t length = strlen(s), size = length / RADIX_LIMB_DIGITS;
    int error = 0;
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_init_set_str), size, &thresholds.set_str, size,
                 (mpz_init(r), set_str(w, x[0], s, length, base)),
                 error = real.mpz_init_set_str(r, s, base));
    return error;
}

EXPORT int mpz_init_set_str(mpz_ptr r, const char *s, int base) {
    INTERCEPT(is_small(s), real.mpz_init_set_str(r, s, base), init_set_str_large(r, s, base));
}
