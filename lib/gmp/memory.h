/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's memory functions, and memory for results from the pool (lib/memory/pool.h), which GMP's
 * functions then own as any other: to clear it, to swap it, to reallocate it. */
#ifndef MPGPU_MEMORY_H
#define MPGPU_MEMORY_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *memory_allocate(size_t bytes);
typedef void *memory_reallocate(void *p, size_t old, size_t bytes);
typedef void memory_free(void *p, size_t bytes);

/* mp_set_memory_functions and mp_get_memory_functions of the libgmp behind this library, as the
 * program sees them: the pool's own functions are not shown, and are not lost. */
void memory_set_functions(memory_allocate *a, memory_reallocate *r, memory_free *f);
void memory_get_functions(memory_allocate **a, memory_reallocate **r, memory_free **f);

/* Bytes; smaller results come from GMP's allocation function: there the page faults that
 * the pool saves are few.  Tests lower it. */
extern __attribute__((visibility("hidden"))) size_t memory_least;

/* A block of `bytes` bytes, to be freed by GMP's function.  NULL, and the caller uses GMP's
 * allocation function, if it is small, or the pool has none, or if the program has memory
 * functions of its own or more than one libgmp: there not all who free a number's limbs
 * would know the pool. */
void *memory_alloc(size_t bytes);

/* x = 0 with that many limbs allocated, from the pool or as mpz_init2 makes it; at most
 * INT_MAX.  x is not initialised. */
void memory_init(mpz_ptr x, size_t limbs);

/* Returns true if the program has memory functions of its own.  Its variables' limbs come from
 * those functions alone then, and no block of the library's may become a variable's. */
bool memory_is_programs(void);

/* A block from the program's allocation function; and one that a function of GMP's has allocated,
 * as gmp_asprintf does, is freed. */
void *memory_of_program(size_t bytes);
void memory_free_gmps(void *p, size_t bytes);

/* Between the two the blocks that GMP's functions allocate in this thread are the library's own if
 * the program has memory functions of its own; otherwise nothing changes.  *s is in the stack, in a
 * frame above those of the calls to GMP.  GMP's functions free such a block at any time. */
struct memory_guard;
struct memory_scratch {
    const struct memory_scratch *before;
    struct memory_guard *guard; /* of memory_guarded, or NULL */
    uintptr_t mark;             /* of a scratch that was not left by longjmp */
};
void memory_scratch_begin(struct memory_scratch *s);
void memory_scratch_end(struct memory_scratch *s);

/* Returns work(context).  What GMP's functions allocate inside of it, in this thread, are blocks of
 * the library's own.  If there is no memory for one of them, work is left by longjmp, the blocks
 * that it has allocated are freed, and the result is `no_memory`.  So work owns nothing else, holds
 * no lock, and gives no block to a variable of the program's.  Blocks of variables that outlive it
 * stay valid. */
int memory_guarded(int (*work)(void *context), void *context, int no_memory);

/* Ends all scratch of this thread: from now on GMP's functions allocate for the program. */
void memory_scratch_stop(void);

/* memory_init for a number of the library's own. */
void memory_init_scratch(mpz_ptr x, size_t limbs);

#endif
