/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point numbers and their digits, with the limbs and digits of GMP's mpf_get_str and
 * mpf_set_str.  GMP truncates mantissas and powers at defined places, and so does this code. */
#ifndef MPGPU_TEXT_FLOAT_H
#define MPGPU_TEXT_FLOAT_H

#include "lib/algorithms/composite.h"

/* The digits of a floating-point number: 0.DIGITS * base^exp. */
struct text_float {
    int base;             /* 2 to 62 */
    size_t digits;        /* the most digits to compute, >= 1 */
    unsigned char *value; /* the digits {value, n}, in a buffer of text_float_room bytes */
    size_t n;
    mp_exp_t exp;
};

/* Returns how many digits mpf_get_str writes if its argument n_digits is 0, and how many it writes
 * at most. The number depends on u's precision. */
size_t text_float_most_digits(int base, mpf_srcptr u);

/* Returns about the length, in limbs, of the integer that text_float_get converts to obtain
 * `digits` digits. */
size_t text_float_limbs(int base, size_t digits);

/* Returns the length in bytes of a buffer for `digits` digits, and for the digits that rounding
 * removes. */
size_t text_float_room(int base, size_t digits);

/* Computes the digits of |u|, u != 0, rounded, without trailing zeros.  Returns false if memory is
 * missing, or if text_digits_get fails: GMP must compute the call. */
bool text_float_get(struct composite *w, struct text_float *t, mpf_srcptr u);

/* r = {sp, n} * base^exp, negated if `negative`, for n >= 1 and sp[0] != 0. Returns false, and
 * leaves r unchanged, if memory is missing, or if text_digits_set fails. */
bool text_float_set(struct composite *w, int base, mpf_ptr r, const unsigned char *sp, size_t n,
                    long exp, bool negative);

#endif
