/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Limbs to digits and back in any base of a text: on the device (lib/algorithms/radix.h), or by GMP
 * below its threshold and where the base is a power of two. */
#ifndef MPGPU_TEXT_DIGITS_H
#define MPGPU_TEXT_DIGITS_H

#include "lib/algorithms/composite.h"

/* Room for the digits of un limbs, a few more. */
size_t text_digits_room(int base, size_t un);

/* {sp, returned} = the digits (values) of {up, un}, up[un-1] != 0, un >= 1, which stays.
 * Returns 0 if the device did not convert them, or memory is short: GMP is to compute the call. */
size_t text_digits_get(struct composite *w, int base, unsigned char *sp, mp_srcptr up, size_t un);

/* Room for the limbs of n digits. */
size_t text_digits_limbs(int base, size_t n);

/* {rp, returned} = the number of the digits {sp, n}, n >= 1, the first of them not 0.
 * Returns 0 likewise. */
size_t text_digits_set(struct composite *w, int base, mp_ptr rp, const unsigned char *sp, size_t n);

/* The same to r; false likewise, or if an mpz cannot hold it. */
bool text_digits_set_mpz(struct composite *w, int base, mpz_ptr r, const unsigned char *sp,
                         size_t n, bool negative);

#endif
