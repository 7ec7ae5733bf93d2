/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides where a result is written. The rules are GMP's, since a program observes its allocations.
 * If a variable's allocation suffices, the limbs are written there. An allocation never shrinks,
 * and the program's memory functions are called for no more than GMP would request. If the limbs
 * belong to the program (mpz_array_init) and suffice, they are never freed or reallocated. */
#ifndef MPGPU_RESULT_H
#define MPGPU_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* A result under construction; the memory at rp overlaps no operand. */
struct result {
    mpz_ptr w;
    mpz_t fresh;
    bool is_fresh;
    mp_ptr rp; /* where to write the result */
};

/* Opens a result for w = f({up, ...}, {vp, ...}). `limbs` is the number of limbs that GMP would
 * allocate for it. Returns false if an mpz cannot hold them. If w is not an operand, its old value
 * may be lost, as with GMP. */
bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs);

/* Sets the variable for which result_open was called to {t->rp, n}, or to -{t->rp, n} if
 * `negative`. The number may have leading zeros. */
void result_keep(struct result *t, size_t n, bool negative);

/* Drops the result. Operands keep their values. So does the variable for which result_open was
 * called, if it is an operand. */
void result_drop(struct result *t);

/* Sets w = x and clears x, a number that the library owns. Calls memory_scratch_stop: from then on
 * GMP's functions allocate for the program. If w has too few limbs and the program has no memory
 * functions of its own, w takes over the limbs of x; otherwise x is copied. */
void result_take(mpz_ptr w, mpz_ptr x);

/* Sets x, a number that the library owns, to 0. Returns space for `limbs` limbs of x. */
mp_ptr result_room(mpz_ptr x, size_t limbs);

#endif
