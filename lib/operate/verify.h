/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whether a device's result is right, by residues or in full as the option
 * `verify` has it; with GMP's own functions (lib/gmp/real.h). */
#ifndef MPGPU_VERIFY_H
#define MPGPU_VERIFY_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

enum verify_result { VERIFY_GOOD, VERIFY_WRONG, VERIFY_NO_MEMORY };

/* {rp, un+vn} = {up, un} * {vp, vn}?  un >= vn >= 1. */
enum verify_result verify_product(mp_srcptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* {sp, sn} = {up, un} + {vp, vn}?  sn >= un >= vn >= 1, sn <= un + 1. */
enum verify_result verify_sum(mp_srcptr sp, size_t sn, mp_srcptr up, size_t un, mp_srcptr vp,
                              size_t vn);

#endif
