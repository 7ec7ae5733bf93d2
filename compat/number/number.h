/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Behind the numbers of include/mpgpu.h: a number is a name for a value. */
#ifndef MPGPU_COMPAT_NUMBER_H
#define MPGPU_COMPAT_NUMBER_H

#include "compat/number/value.h"

struct mpgpu_number {
    struct value *value;
};

struct mpgpu_modulus {
    struct modulus *modulus;
};

/* The number's value is x from now on, whose use the caller gives away; 0, or if x is NULL
 * MPGPU_NO_MEMORY. */
int number_become(mpgpu_number *r, struct value *x);

/* Returns 0 if both are numbers of one queue; otherwise fails with MPGPU_ARGUMENTS. */
int number_fit(const mpgpu_number *u, const mpgpu_number *v);

/* Computes the value unless it is known.  Returns 0 or an error: MPGPU_ARGUMENTS if u is NULL. */
int number_need(const mpgpu_number *u);

/* Its sign is known afterwards. */
int number_need_sign(const mpgpu_number *u);

/* What an operation begins with: r, u and v are of one queue, which is not full afterwards, and the
 * signs of u and v are known.  v may be u. */
int number_begin(const mpgpu_number *r, const mpgpu_number *u, const mpgpu_number *v);

/* r = what is recorded, or 0. */
int number_record(mpgpu_number *r, const struct value *operation);
int number_clear(mpgpu_number *r);

/* A divisor's value with one use, the value being there; for one block of quotients each.  NULL
 * with an error said. */
struct modulus *modulus_of(const mpgpu_number *m, bool is_kept);

/* Is a number of so many bits to be divided by d on the host?  The device makes the blocks of a
 * quotient one after the other, and of a short divisor they are short. */
bool number_divides_on_host(uint64_t bits, const struct value *d);

/* r = u modulo |m|, which has a plan; after number_begin. */
int modulus_rest(mpgpu_number *r, mpgpu_number *u, struct modulus *m);

#endif
