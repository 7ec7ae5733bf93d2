/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Conversion of limbs to digits and back in any base of a text. The device converts long numbers
 * (lib/algorithms/radix.h). GMP converts numbers below the device's threshold, and all numbers if
 * the base is a power of two. */
#ifndef MPGPU_TEXT_DIGITS_H
#define MPGPU_TEXT_DIGITS_H

#include "lib/algorithms/composite.h"

/* Returns the room, in bytes, for the digits of un limbs; may be a few too many. */
size_t text_digits_room(int base, size_t un);

/* Writes the digit values of {up, un}, un >= 1, up[un-1] != 0, to sp, and returns their count. Does
 * not change up. Returns 0 if memory is missing, or if the device did not convert the number: GMP
 * must compute the call. */
size_t text_digits_get(struct composite *w, int base, unsigned char *sp, mp_srcptr up, size_t un);

/* Returns the room, in limbs, for the number of n digits. */
size_t text_digits_limbs(int base, size_t n);

/* Writes the number with the digits {sp, n}, n >= 1, sp[0] != 0, to rp, and returns its length in
 * limbs.  Returns 0 if memory is missing, or if the device did not convert the digits: GMP must
 * compute the call. */
size_t text_digits_set(struct composite *w, int base, mp_ptr rp, const unsigned char *sp, size_t n);

/* r = the number with the digits {sp, n}, n >= 1, sp[0] != 0. Returns false if text_digits_set
 * would return 0, or if an mpz cannot hold the number. */
bool text_digits_set_mpz(struct composite *w, int base, mpz_ptr r, const unsigned char *sp,
                         size_t n, bool negative);

#endif
