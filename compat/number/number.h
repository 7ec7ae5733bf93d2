/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The numbers of include/mpgpu.h: a number refers to a value. */
#ifndef MPGPU_COMPAT_NUMBER_H
#define MPGPU_COMPAT_NUMBER_H

#include "compat/number/value.h"

struct mpgpu_number {
    struct value *value;
};

struct mpgpu_modulus {
    struct modulus *modulus;
};

/* Sets the value of r to x and takes over the caller's reference to x.  Returns 0, or
 * MPGPU_NO_MEMORY if x is NULL. */
int number_become(mpgpu_number *r, struct value *x);

/* Returns 0 if both are numbers of one queue; otherwise fails with MPGPU_ARGUMENTS. */
int number_fit(const mpgpu_number *u, const mpgpu_number *v);

/* Computes the value unless it is known.  Returns 0 or an error: MPGPU_ARGUMENTS if u is NULL. */
int number_need(const mpgpu_number *u);

/* Computes the value if its sign is not known.  Returns 0 or an error. */
int number_need_sign(const mpgpu_number *u);

/* Begins an operation: checks that r, u and v are of one queue, computes the queue if it is full or
 * the sign of u or v is unknown.  v may be u.  Returns 0 or an error. */
int number_begin(const mpgpu_number *r, const mpgpu_number *u, const mpgpu_number *v);

/* number_record sets r to a recorded operation, number_clear to 0.  Both return 0 or an error. */
int number_record(mpgpu_number *r, const struct value *operation);
int number_clear(mpgpu_number *r);

/* Creates the modulus of a divisor whose value is computed, with one reference; is_kept as in
 * struct modulus.  Returns NULL, with the text of mpgpu_error, on failure. */
struct modulus *modulus_of(const mpgpu_number *m, bool is_kept);

/* Returns true if the host should divide a number of `bits` bits by d.  The device computes the
 * blocks of a quotient one after another, and a short divisor has short blocks. */
bool number_divides_on_host(uint64_t bits, const struct value *d);

/* Records r = u modulo |m|. Call it after number_begin; m has its plan. */
int modulus_rest(mpgpu_number *r, mpgpu_number *u, struct modulus *m);

#endif
