/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Room for results from the pool (lib/memory/pool.h), which GMP's functions then own as any other:
 * to clear it, to swap it, to reallocate it. */
#ifndef MPGPU_MEMORY_H
#define MPGPU_MEMORY_H

#include <gmp.h>
#include <stddef.h>

/* Bytes; smaller results come from GMP's allocation function: there the page faults that
 * the pool saves are few.  Tests lower it. */
extern __attribute__((visibility("hidden"))) size_t memory_least;

/* A block of `bytes` bytes, to be freed by GMP's function.  NULL, and the caller uses GMP's
 * allocation function, if it is small, or the pool has none, or if the program has memory
 * functions of its own or more than one libgmp: there not all who free a number's limbs
 * would know the pool. */
void *memory_alloc(size_t bytes);

/* x = 0 with room for that many limbs, from the pool or as mpz_init2 makes it; at most
 * INT_MAX.  x is not initialised. */
void memory_init(mpz_ptr x, size_t limbs);

#endif
