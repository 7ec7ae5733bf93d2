/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point numbers and their digits, with the limbs and digits that GMP's mpf_get_str and
 * mpf_set_str have: those cut mantissas and powers at given places, and so does this. */
#ifndef MPGPU_TEXT_FLOAT_H
#define MPGPU_TEXT_FLOAT_H

#include "lib/algorithms/composite.h"

/* What is asked for, and what comes: 0.DIGITS * base^exp. */
struct text_float {
    int base;             /* 2 to 62 */
    size_t digits;        /* at most so many, >= 1 */
    unsigned char *value; /* {value, n}, in room for text_float_room */
    size_t n;
    mp_exp_t exp;
};

/* Digits that mpf_get_str gives for 0, or at most: by the precision. */
size_t text_float_most_digits(int base, mpf_srcptr u);

/* Limbs of the number that is converted for so many digits. */
size_t text_float_limbs(int base, size_t digits);

/* Bytes for so many digits and those that rounding takes away. */
size_t text_float_room(int base, size_t digits);

/* The digits of |u|, u != 0, rounded, without zeros at their end.  Returns false
 * if text_digits_get fails, or memory is short: GMP is to compute the call. */
bool text_float_get(struct composite *w, struct text_float *t, mpf_srcptr u);

/* r = {sp, n} * base^exp, negated if asked, n >= 1, sp[0] != 0.  Returns
 * false, and r is what it was, if text_digits_set fails, or memory is short. */
bool text_float_set(struct composite *w, int base, mpf_ptr r, const unsigned char *sp, size_t n,
                    long exp, bool negative);

#endif
