/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion by halves: a number of n digits is hi * base^d + lo with d about
 * n/2, hi and lo likewise, down to leaves that GMP converts.
 *
 * For products, of base = odd * 2^twos only the odd part's powers are kept: d is a
 * multiple of the limb's bits, so that the power of two in base^d is whole limbs. */
#ifndef MPGPU_RADIX_H
#define MPGPU_RADIX_H

#include "kernels/radix/text.h"
#include "lib/algorithms/composite.h"

enum { RADIX_MAX_LEVELS = 48 };

struct radix {
    struct composite *w;
    int base;
    mp_limb_t odd; /* all of the base where twos is 0 */
    unsigned twos;
    size_t leaf;   /* digits of a leaf */
    int levels;    /* a number here has at most leaf << levels digits */
    bool is_ready; /* are the powers there?  The device has its own. */
    struct radix_power {
        mp_ptr p; /* {p, n} = odd^(leaf << i) */
        size_t n;
    } power[RADIX_MAX_LEVELS];
    mp_ptr limbs; /* that they lie in */
};

/* Bases that this is for: 3 to 256, no power of two. */
static inline bool radix_is_for(int base) {
    return base > 2 && base <= 256 && (base & (base - 1)) != 0;
}

/* For the way past: a limb holds this many digits or more. */
enum { RADIX_LIMB_DIGITS = 8 };

/* Bounds for such a base: limbs of a number of `digits` digits, digits of one of n
 * limbs; less than a hundredth and two too many. */
size_t radix_limbs(int base, size_t digits);
size_t radix_digits(int base, size_t n);

/* For numbers of up to `digits` digits, with powers of the base's odd part or of all of it.  True;
 * radix_close must follow. */
enum radix_part { RADIX_ODD_PART, RADIX_ALL };
bool radix_open(struct radix *x, struct composite *w, int base, enum radix_part part,
                size_t digits);
void radix_close(struct radix *x);

/* Makes the powers, unless they are there.  False if memory is short. */
bool radix_powers(struct radix *x);

/* {rp, returned} = the number {sp, n} of digits (values, not characters), the first
 * of them not 0, n <= leaf << levels.  rp has room for radix_limbs(base, n) limbs, of which
 * those above the result are lost.  0 if memory is short. */
size_t radix_set(struct radix *x, mp_ptr rp, const unsigned char *sp, size_t n);

/* {sp, returned} = the digits of {up, un}, up[un-1] != 0, without zeros in front, all of
 * the base's powers being asked for, for as many as leaf << levels.  0 if memory is short. */
size_t radix_get(struct radix *x, unsigned char *sp, mp_srcptr up, size_t un);

/* The same with characters in the place of values, TEXT_SMALL or TEXT_LARGE of
 * kernels/radix/text.h, base <= 62.  From characters a device alone works: 0 too where there is
 * none, and where a character is no digit; then rp is unchanged. */
size_t radix_get_text(struct radix *x, char *s, mp_srcptr up, size_t un, unsigned characters);
size_t radix_set_text(const struct radix *x, mp_ptr rp, const char *s, size_t n,
                      unsigned characters);

#endif
