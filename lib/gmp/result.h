/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The place where a result is written. GMP's memory contract decides, since a program observes it.
 * If a variable's allocation suffices, the limbs are written there. The allocation never shrinks,
 * and the program's memory functions are called for no more than GMP would request. The limbs of a
 * variable may be the program's (mpz_array_init): they are never freed or reallocated if they
 * suffice. */
#ifndef MPGPU_RESULT_H
#define MPGPU_RESULT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* A result that must not overlap its operands. */
struct result {
    mpz_ptr w;
    mpz_t fresh;
    bool is_fresh;
    mp_ptr rp; /* where to write the result */
};

/* Opens a result of `limbs` limbs, the count that GMP would allocate, for w = f({up, ...}, {vp,
 * ...}). Returns false if an mpz cannot hold them. If w is no operand its value may be lost, as
 * with GMP. */
bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs);

/* Sets w to {rp, n}, which may have leading zeros; negated if `negative`. */
void result_keep(struct result *t, size_t n, bool negative);

/* Drops the result. Operands keep their values; so does w if it is an operand. */
void result_drop(struct result *t);

/* Sets w = x and clears x, a number of the library's own. Calls memory_scratch_stop: from then on
 * GMP's functions allocate for the program. w gets x's limbs if its own are too few and the program
 * has no memory functions of its own; otherwise x is copied. */
void result_take(mpz_ptr w, mpz_ptr x);

/* Sets x to 0, and returns room for `limbs` limbs of x. x is a number that the library owns. */
mp_ptr result_room(mpz_ptr x, size_t limbs);

#endif
