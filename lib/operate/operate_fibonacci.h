/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, made on the device (lib/calc/calc_fibonacci.h). */
#ifndef MPGPU_OPERATE_FIBONACCI_H
#define MPGPU_OPERATE_FIBONACCI_H

#include <gmp.h>

#include "lib/base/outcome.h"
#include "lib/calc/calc_fibonacci.h"

/* F[n], and unless ONE is asked for F[n-1]; or L[n] and L[n-1]: operate_fibonacci_limbs(n) limbs
 * each, with zeros at their tops.  sp may be NULL; they lie apart.  2 <= n < 2^40. */
struct operate_fibonacci {
    mp_ptr rp, sp;
    unsigned long n;
    int kind; /* of struct calc_fibonacci */
};

size_t operate_fibonacci_limbs(unsigned long n);

/* OUTCOME_DONE, or why it was not done. */
enum outcome operate_fibonacci(const struct operate_fibonacci *f);

#endif
