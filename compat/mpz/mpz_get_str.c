/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_get_str and mpz_out_str, by halves. */
#include <stdio.h>

#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"

/* GMP's functions for a program's memory. */
struct memory {
    void *(*allocate)(size_t bytes);
    void *(*reallocate)(void *p, size_t old, size_t bytes);
    void (*release)(void *p, size_t bytes);
};

static struct memory memory(void) {
    struct memory m;
    mp_get_memory_functions(&m.allocate, &m.reallocate, &m.release);
    return m;
}

/* The base and its characters of the argument `base`; 0 for what is left to GMP: powers
 * of two, no base, and 0, 1 and -1, which stand for 10. */
static int base_of(int base, const char **characters) {
    static const char small[] = "0123456789abcdefghijklmnopqrstuvwxyz",
                      large[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    *characters = base > 0 && base <= 36 ? small : large;
    if (base > 62 || base < -36 || !radix_is_for(base < 0 ? -base : base))
        return 0;
    return base < 0 ? -base : base;
}

/* {s, returned}: sign and digits of u, and a NUL behind them; 0 if memory is short. */
static size_t write_text(struct composite *whole, char *s, int base, const char *characters,
                         mpz_srcptr u) {
    struct radix x;
    size_t un = mpz_size(u), sign = u->_mp_size < 0, n = 0;
    if (!radix_open(&x, whole, base, RADIX_ALL, radix_digits(base, un)))
        return 0;
    unsigned char *digits = (unsigned char *)s + sign;
    n = radix_get(&x, digits, u->_mp_d, un);
    radix_close(&x);
    for (size_t i = 0; i < n; i++)
        s[sign + i] = characters[digits[i]];
    if (sign)
        *s = '-';
    s[sign + n] = 0;
    return n ? sign + n : 0;
}

/* The text of u, *length characters and a NUL, in a block of that size. */
static char *new_text(struct composite *whole, int base, const char *characters, mpz_srcptr u,
                      size_t *length) {
    struct memory m = memory();
    size_t bytes = radix_digits(base, mpz_size(u)) + 2;
    char *s = m.allocate(bytes);
    *length = write_text(whole, s, base, characters, u);
    if (*length)
        return m.reallocate(s, bytes, *length + 1);
    m.release(s, bytes);
    return NULL;
}

/* The text, at s or where s is NULL in a new block; NULL: that is left to GMP. */
static char *get_str(enum call_row row, char *s, int base, mpz_srcptr u, size_t *length) {
    struct composite whole;
    const char *characters;
    size_t limbs = (base = base_of(base, &characters)) != 0 ? mpz_size(u) : 0;
    if (!composite_begin(&whole, row, limbs, &thresholds.get_str, limbs))
        return NULL;
    if (!s)
        s = new_text(&whole, base, characters, u, length);
    else if ((*length = write_text(&whole, s, base, characters, u)) == 0)
        s = NULL;
    composite_end(&whole);
    return s;
}

LARGE char *get_str_large(char *s, int base, mpz_srcptr u) {
    COMPOSITE_FRAME;
    size_t length;
    char *text = get_str(CALL_ROW(mpz_get_str), s, base, u, &length);
    return text ? text : real.mpz_get_str(s, base, u);
}

LARGE size_t out_str_large(FILE *stream, int base, mpz_srcptr u) {
    COMPOSITE_FRAME;
    size_t length;
    char *text = get_str(CALL_ROW(mpz_out_str), NULL, base, u, &length);
    if (!text)
        return real.mpz_out_str(stream, base, u);
    stream = stream ? stream : stdout;
    size_t written = fwrite(text, 1, length, stream);
    memory().release(text, length + 1);
    return ferror(stream) ? 0 : written;
}

static inline int is_small(mpz_srcptr u) {
    return call_magnitude_is_small(&u->_mp_size, &thresholds.get_str);
}

EXPORT char *mpz_get_str(char *s, int base, mpz_srcptr u) {
    return is_small(u) ? real.mpz_get_str(s, base, u) : get_str_large(s, base, u);
}

EXPORT size_t mpz_out_str(FILE *stream, int base, mpz_srcptr u) {
    return is_small(u) ? real.mpz_out_str(stream, base, u) : out_str_large(stream, base, u);
}
