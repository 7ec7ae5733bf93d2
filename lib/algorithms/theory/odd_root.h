/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Odd roots of odd numbers modulo powers of two, by products that the device or GMP computes.  For
 * an odd k, each odd number has exactly one k-th root modulo a power of two. */
#ifndef MPGPU_ODD_ROOT_H
#define MPGPU_ODD_ROOT_H

#include <stdbool.h>

#include "lib/algorithms/composite.h"

/* Returns true if u > 0 is a k-th power.  u and k are odd, k >= 3. */
bool odd_root_exists(struct composite *w, mpz_srcptr u, unsigned long k);

#endif
