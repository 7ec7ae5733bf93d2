/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion on the device, from operand to result.  GMP converts all that the device does
 * not.  A conversion on the host with products on the device would be slower than GMP
 * (doc/design/device-radix.md). */
#ifndef MPGPU_RADIX_H
#define MPGPU_RADIX_H

#include "kernels/radix/text.h"
#include "lib/algorithms/composite.h"

/* Returns true for bases that the device converts: 3 to 255, no power of two. */
static inline bool radix_is_for(int base) {
    return base > 2 && base <= 256 && (base & (base - 1)) != 0;
}

/* A limb has at least this many digits.  The size that is compared with the threshold is a text's
 * length divided by it. */
enum { RADIX_LIMB_DIGITS = 8 };

/* Bounds for such a base.  radix_limbs: limbs of a number of `digits` digits, and the additional
 * limb that mpn_set_str asks for.  radix_digits: digits of a number of n limbs. */
size_t radix_limbs(int base, size_t digits);
size_t radix_digits(int base, size_t n);

/* {rp, returned} = the number of the text {sp, n}.  The characters are of a kind of
 * kernels/radix/text.h: TEXT_VALUES or, in bases up to 62, another.  rp has room for
 * radix_limbs(base, n) limbs.
 *
 * Returns 0 if the device did not convert it: rp may be anything then.  If a character is no digit,
 * w->sent is increased nevertheless. */
size_t radix_set(struct composite *w, mp_ptr rp, const unsigned char *sp, size_t n, int base,
                 unsigned characters);

/* {sp, returned} = the digits of {up, un}, up[un-1] != 0, as such characters, without leading
 * zeros.  sp has room for radix_digits(base, un) bytes.  Returns 0 if the device did not convert
 * it: sp may be anything then. */
size_t radix_get(struct composite *w, unsigned char *sp, mp_srcptr up, size_t un, int base,
                 unsigned characters);

#endif
