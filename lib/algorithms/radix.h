/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion on the device, from operand to result.  GMP converts what the device does not:
 * a conversion on the host with products on the device would be slower
 * (doc/design/device-radix.md).
 */
#ifndef MPGPU_RADIX_H
#define MPGPU_RADIX_H

#include "kernels/radix/text.h"
#include "lib/algorithms/composite.h"

/* Returns true for bases that the device converts: 3 to 255, no power of two. */
static inline bool radix_is_for(int base) {
    return base > 2 && base <= 256 && (base & (base - 1)) != 0;
}

/* A limb has this many digits or more.  Sizes of texts are compared with thresholds by it. */
enum { RADIX_LIMB_DIGITS = 8 };

/* Bounds for such a base: limbs of a number of `digits` digits with the limb more that mpn_set_str
 * asks for, digits of a number of n limbs. */
size_t radix_limbs(int base, size_t digits);
size_t radix_digits(int base, size_t n);

/* {rp, returned} = the number of the text {sp, n}, which has characters of a kind of
 * kernels/radix/text.h, TEXT_VALUES or, in bases up to 62, another.  rp has room for
 * radix_limbs(base, n) limbs.  Returns 0 if the device did not convert it: rp may be anything then,
 * and w->sent is increased if the reason is a character that is no digit. */
size_t radix_set(struct composite *w, mp_ptr rp, const unsigned char *sp, size_t n, int base,
                 unsigned characters);

/* {sp, returned} = the digits of {up, un}, up[un-1] != 0, as such characters, without zeros in
 * front.  sp has room for radix_digits(base, un) bytes.  Returns 0 if the device did not convert
 * it: sp may be anything then. */
size_t radix_get(struct composite *w, unsigned char *sp, mp_srcptr up, size_t un, int base,
                 unsigned characters);

#endif
