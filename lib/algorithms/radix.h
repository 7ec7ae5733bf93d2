/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion on the device, from operand to result. GMP converts all other numbers: a
 * conversion on the host with products on the device would be slower
 * (doc/design/device-radix.md). */
#ifndef MPGPU_RADIX_H
#define MPGPU_RADIX_H

#include "kernels/radix/text.h"
#include "lib/algorithms/composite.h"

/* Returns true for bases that the device converts: 3 to 255, no power of two. */
static inline bool radix_is_for(int base) {
    return base > 2 && base <= 256 && (base & (base - 1)) != 0;
}

/* The least number of digits that fit in a limb, in any base. A text's length divided by this is
 * the size to compare with the device's threshold. */
enum { RADIX_LIMB_DIGITS = 8 };

/* Return upper bounds, for a base for which radix_is_for returns true. radix_limbs: limbs of a
 * number of `digits` digits, and the additional limb that mpn_set_str asks for. radix_digits:
 * digits of a number of n limbs. */
size_t radix_limbs(int base, size_t digits);
size_t radix_digits(int base, size_t n);

/* Converts the text {sp, n} to limbs at rp.  Returns their count.  `characters` is a kind of
 * characters from kernels/radix/text.h: TEXT_VALUES or, in bases up to 62, another kind. rp has
 * room for radix_limbs(base, n) limbs.
 *
 * Returns 0 if the device did not convert the text; the limbs at rp are unspecified then.  Returns
 * 0 and increases w->sent if the device found a character that is not a digit. */
size_t radix_set(struct composite *w, mp_ptr rp, const unsigned char *sp, size_t n, int base,
                 unsigned characters);

/* Writes the digits of {up, un}, up[un-1] != 0, to sp, without leading zeros.  Returns their count.
 * `characters` is as in radix_set.  sp has room for radix_digits(base, un) bytes.  Returns 0 if the
 * device did not convert the number; the bytes at sp are unspecified then. */
size_t radix_get(struct composite *w, unsigned char *sp, mp_srcptr up, size_t un, int base,
                 unsigned characters);

#endif
