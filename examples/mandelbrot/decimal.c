/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts decimal text of any length to exact rational numbers. */
#include "config.h"

#include "examples/mandelbrot/decimal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A decimal text split into its sign, its digits without the point, and the power of ten by
 * which the digits are multiplied. */
struct parts {
    bool is_negative;
    char *digits;
    size_t length;
    long exponent;
};

/* Appends the digits at *text to p->digits, and advances *text past them. Returns their count. */
static size_t take_digits(struct parts *p, const char **text) {
    size_t n = strspn(*text, "0123456789");
    memcpy(p->digits + p->length, *text, n);
    p->length += n;
    *text += n;
    return n;
}

/* Parses the exponent behind the letter e and adds it to p->exponent. Returns
 * DECIMAL_HUGE_EXPONENT if its magnitude exceeds DECIMAL_EXPONENT. */
static enum decimal take_exponent(struct parts *p, const char *text) {
    const char *digits = text + (*text == '+' || *text == '-');
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || digits[n])
        return DECIMAL_MALFORMED;
    long exponent = strtol(text, NULL, 10);
    if (labs(exponent / 2) > DECIMAL_EXPONENT)
        return DECIMAL_HUGE_EXPONENT;
    p->exponent += exponent;
    return labs(exponent) > DECIMAL_EXPONENT ? DECIMAL_HUGE_EXPONENT : DECIMAL_GOOD;
}

static enum decimal take_parts(struct parts *p, const char *text) {
    p->is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    take_digits(p, &text);
    if (*text == '.') {
        text++;
        p->exponent = -(long)take_digits(p, &text);
    }
    if (p->length == 0)
        return DECIMAL_MALFORMED;
    p->digits[p->length] = 0;
    if (*text == 'e' || *text == 'E')
        return take_exponent(p, text + 1);
    return *text ? DECIMAL_MALFORMED : DECIMAL_GOOD;
}

/* Sets `value` to digits * 10^exponent, with the sign. */
static void join(mpq_t value, const struct parts *p) {
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(p->exponent));
    mpz_set_str(mpq_numref(value), p->digits, 10);
    if (p->is_negative)
        mpz_neg(mpq_numref(value), mpq_numref(value));
    if (p->exponent < 0)
        mpz_set(mpq_denref(value), power);
    else
        mpz_mul(mpq_numref(value), mpq_numref(value), power);
    mpq_canonicalize(value);
    mpz_clear(power);
}

enum decimal decimal_parse(mpq_t value, const char *text) {
    struct parts parts = {0};
    mpq_set_ui(value, 0, 1);
    parts.digits = malloc(strlen(text) + 1);
    if (!parts.digits)
        abort(); /* as GMP does */
    enum decimal found = take_parts(&parts, text);
    if (found == DECIMAL_GOOD)
        join(value, &parts);
    free(parts.digits);
    return found;
}

void decimal_to_fixed(mpz_t fixed, const mpq_t value, unsigned long bits) {
    mpz_mul_2exp(fixed, mpq_numref(value), bits + 1);
    mpz_add(fixed, fixed, mpq_denref(value));
    mpz_fdiv_q(fixed, fixed, mpq_denref(value));
    mpz_fdiv_q_2exp(fixed, fixed, 1);
}

long decimal_log2(const mpq_t value) {
    return (long)mpz_sizeinbase(mpq_numref(value), 2) - (long)mpz_sizeinbase(mpq_denref(value), 2) -
           1;
}
