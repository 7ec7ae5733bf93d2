/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_set_str and mpz_init_set_str, by halves.  Only a text that is a number is
 * read here: GMP refuses the others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/memory/wipe.h"

/* The value of a digit, or more than any base. */
static int digit_value(unsigned char c, int base) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'z')
        return c - 'a' + (base > 36 ? 36 : 10);
    return base;
}

/* A number's text: sign, digits with white space between them. */
struct text {
    bool negative;
    int base;
    unsigned char *digits; /* {digits, n}: values, the first of them not 0; to be freed */
    size_t n, bytes;
};

/* Skip what stands before the first digit that counts; NULL where GMP may not
 * take the text for a number in this base. */
static const char *text_start(struct text *t, const char *s) {
    while (isspace((unsigned char)*s))
        s++;
    t->negative = *s == '-';
    s += t->negative;
    if (t->base == 0)
        t->base = *s == '0' ? 0 : 10; /* 0x1, 0b1, 01 */
    if (!radix_is_for(t->base) || t->base > 62 ||
        digit_value((unsigned char)*s, t->base) >= t->base)
        return NULL;
    while (*s == '0' || isspace((unsigned char)*s))
        s++;
    return s;
}

/* False if there are none, or something else, or no memory for them. */
static bool text_digits(struct text *t, const char *s) {
    t->bytes = strlen(s) + 1;
    unsigned char *p = t->digits = malloc(t->bytes);
    for (; p && *s; s++) {
        int value = digit_value((unsigned char)*s, t->base);
        if (value < t->base)
            *p++ = (unsigned char)value;
        else if (!isspace((unsigned char)*s))
            return false;
    }
    t->n = p ? (size_t)(p - t->digits) : 0;
    return t->n > 0;
}

static bool text_read(struct text *t, const char *s, int base) {
    *t = (struct text){.base = base};
    s = text_start(t, s);
    return s && text_digits(t, s);
}

static bool set(struct composite *w, mpz_ptr r, const struct text *t) {
    struct radix x;
    struct result result;
    if (!radix_open(&x, w, t->base, RADIX_ODD_PART, t->n))
        return false;
    bool done = result_open(&result, r, NULL, NULL, radix_limbs(t->base, t->n));
    if (done) {
        size_t rn = radix_set(&x, result.rp, t->digits, t->n);
        result_keep(&result, rn, t->negative);
        done = rn > 0;
    }
    radix_close(&x);
    return done;
}

/* False: that is left to GMP. */
static bool set_str(struct composite *w, mpz_ptr r, const char *s, int base) {
    struct text t;
    bool done = text_read(&t, s, base) && set(w, r, &t);
    wipe_free(t.digits, t.bytes);
    return done;
}

static bool init_set_str(struct composite *w, mpz_ptr r, const char *s, int base) {
    mpz_init(r);
    bool done = set_str(w, r, s, base);
    if (!done)
        mpz_clear(r);
    return done;
}

/* Only reading it tells how long a text is: GMP reads all of it, too. */
static inline size_t size_of(const char *s) {
    return strlen(s) / RADIX_LIMB_DIGITS;
}

static inline bool is_small(const char *s) {
    return thresholds_is_small(size_of(s), &thresholds.set_str);
}

LARGE int set_str_large(mpz_ptr r, const char *s, int base) {
    size_t size = size_of(s);
    int error = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_set_str), size, &thresholds.set_str, size,
                   set_str(w, r, s, base), error = real.mpz_set_str(r, s, base));
    return error;
}

EXPORT int mpz_set_str(mpz_ptr r, const char *s, int base) {
    INTERCEPT(is_small(s), real.mpz_set_str(r, s, base), set_str_large(r, s, base));
}

LARGE int init_set_str_large(mpz_ptr r, const char *s, int base) {
    size_t size = size_of(s);
    int error = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_init_set_str), size, &thresholds.set_str, size,
                   init_set_str(w, r, s, base), error = real.mpz_init_set_str(r, s, base));
    return error;
}

EXPORT int mpz_init_set_str(mpz_ptr r, const char *s, int base) {
    INTERCEPT(is_small(s), real.mpz_init_set_str(r, s, base), init_set_str_large(r, s, base));
}
