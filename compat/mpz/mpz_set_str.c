/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_set_str and mpz_init_set_str, by halves.  Only a text that is a number is
 * read here: GMP refuses the others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory/wipe.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"

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
    int negative;
    int base;
    unsigned char *digits; /* {digits, n}: values, the first of them not 0; to be freed */
    size_t n, room;
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

/* 0 if there are none, or something else, or no memory for them. */
static int text_digits(struct text *t, const char *s) {
    t->room = strlen(s) + 1;
    unsigned char *p = t->digits = malloc(t->room);
    for (; p && *s; s++) {
        int value = digit_value((unsigned char)*s, t->base);
        if (value < t->base)
            *p++ = (unsigned char)value;
        else if (!isspace((unsigned char)*s))
            return 0;
    }
    t->n = p ? (size_t)(p - t->digits) : 0;
    return t->n > 0;
}

static int text_read(struct text *t, const char *s, int base) {
    *t = (struct text){.base = base};
    s = text_start(t, s);
    return s && text_digits(t, s);
}

static int set(struct composite *whole, mpz_ptr w, const struct text *t) {
    struct radix x;
    struct result target;
    if (!radix_open(&x, whole, t->base, RADIX_ODD_PART, t->n))
        return 0;
    int done = result_open(&target, w, NULL, NULL, radix_limbs(t->base, t->n));
    if (done) {
        size_t rn = radix_set(&x, target.rp, t->digits, t->n);
        result_keep(&target, rn, t->negative);
        done = rn > 0;
    }
    radix_close(&x);
    return done;
}

/* Initialises w if it is new.  0: that is left to GMP, for which w is what it was. */
static int set_str(enum call_row row, mpz_ptr w, int is_new, const char *s, int base) {
    struct composite whole;
    struct text t;
    size_t limbs = strlen(s) / RADIX_LIMB_DIGITS;
    if (!composite_begin(&whole, row, limbs, &thresholds.set_str, limbs))
        return 0;
    if (is_new)
        mpz_init(w);
    int done = text_read(&t, s, base) && set(&whole, w, &t);
    if (is_new && !done)
        mpz_clear(w);
    wipe_free(t.digits, t.room);
    composite_end(&whole);
    return done;
}

/* Only reading it tells how long a text is: GMP reads all of it, too. */
static inline int is_small(const char *s) {
    return call_is_small(strlen(s) / RADIX_LIMB_DIGITS, &thresholds.set_str);
}

LARGE int set_str_large(mpz_ptr w, const char *s, int base) {
    COMPOSITE_FRAME;
    return set_str(CALL_ROW(mpz_set_str), w, 0, s, base) ? 0 : real.mpz_set_str(w, s, base);
}

EXPORT int mpz_set_str(mpz_ptr w, const char *s, int base) {
    return is_small(s) ? real.mpz_set_str(w, s, base) : set_str_large(w, s, base);
}

LARGE int init_set_str_large(mpz_ptr w, const char *s, int base) {
    COMPOSITE_FRAME;
    return set_str(CALL_ROW(mpz_init_set_str), w, 1, s, base) ? 0
                                                              : real.mpz_init_set_str(w, s, base);
}

EXPORT int mpz_init_set_str(mpz_ptr w, const char *s, int base) {
    return is_small(s) ? real.mpz_init_set_str(w, s, base) : init_set_str_large(w, s, base);
}
