/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The numbers of include/mpgpu.h. A number refers to a value (compat/number/value.h); several
 * numbers may share one value. */
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

/* Returns 0 if u and v belong to the same queue; otherwise fails with MPGPU_ARGUMENTS. */
int number_fit(const mpgpu_number *u, const mpgpu_number *v);

/* Computes the queue unless the value of u is computed already. Returns 0 or an error:
 * MPGPU_ARGUMENTS if u is NULL. */
int number_need(const mpgpu_number *u);

/* Computes the queue if the sign of u is not known. Returns 0 or an error. */
int number_need_sign(const mpgpu_number *u);

/* Begins an operation r = f(u, v): checks that r, u and v belong to one queue of recorded
 * operations. If the queue is full, or the sign of u or v is unknown, first computes the queue's
 * operations. Returns 0 or an error. */
int number_begin(const mpgpu_number *r, const mpgpu_number *u, const mpgpu_number *v);

/* number_record records `operation` as the value of r; number_clear sets r to 0. Both return 0 or
 * an error. */
int number_record(mpgpu_number *r, const struct value *operation);
int number_clear(mpgpu_number *r);

/* Creates a modulus from m, whose value must be computed. The caller owns one reference. Set
 * is_kept if the modulus serves many divisions. On failure, returns NULL and sets the text of
 * mpgpu_error. */
struct modulus *modulus_of(const mpgpu_number *m, bool is_kept);

/* Returns true if the host should divide a number of `bits` bits by d. On the device a short
 * divisor is slow, because quotients are computed in sequential blocks of the divisor's length. */
bool number_divides_on_host(uint64_t bits, const struct value *d);

/* Records the operation r = u modulo |m|, or computes it at once on the host. Call it after
 * number_begin. */
int modulus_rest(mpgpu_number *r, mpgpu_number *u, struct modulus *m);

#endif
