/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's memory functions, and memory for results from the pool (lib/memory/pool.h). GMP's functions
 * then own such memory like any other: they clear, swap and reallocate it. */
#ifndef MPGPU_MEMORY_H
#define MPGPU_MEMORY_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *memory_allocate(size_t bytes);
typedef void *memory_reallocate(void *p, size_t old, size_t bytes);
typedef void memory_free(void *p, size_t bytes);

/* Do what mp_set_memory_functions and mp_get_memory_functions of the libgmp behind this library do
 * for the program. The pool's functions stay in force, and the program does not see them. */
void memory_set_functions(memory_allocate *a, memory_reallocate *r, memory_free *f);
void memory_get_functions(memory_allocate **a, memory_reallocate **r, memory_free **f);

/* The least bytes of a block of the pool. Smaller results come from GMP's allocation function,
 * since the pool would save them few page faults. Tests lower this value. */
extern __attribute__((visibility("hidden"))) size_t memory_least;

/* Allocates a block of `bytes` bytes, to be freed by GMP's function. Returns NULL if it is small or
 * the pool has none: the caller then uses GMP's allocation function. Returns NULL also if the
 * program has memory functions of its own or more than one libgmp. Code that frees a number's limbs
 * might then not know the pool's functions. */
void *memory_alloc(size_t bytes);

/* Sets x = 0 with `limbs` limbs allocated, at most INT_MAX, from the pool or as by mpz_init2. x
 * must not be initialised. */
void memory_init(mpz_ptr x, size_t limbs);

/* Returns true if the program has memory functions of its own. The limbs of its variables then come
 * only from those functions, and no block of the library may become a variable's. */
bool memory_is_programs(void);

/* memory_of_program allocates a block by the program's allocation function. memory_free_gmps frees
 * a block that a GMP function has allocated, as gmp_asprintf does. */
void *memory_of_program(size_t bytes);
void memory_free_gmps(void *p, size_t bytes);

/* Between memory_scratch_begin and memory_scratch_end, blocks that GMP's functions allocate in this
 * thread belong to the library, if the program has memory functions of its own; otherwise nothing
 * changes. *s is on the stack, in a frame above those of the calls to GMP. GMP's functions may free
 * these blocks at any time. */
struct memory_guard;
struct memory_scratch {
    const struct memory_scratch *before;
    struct memory_guard *guard; /* the guard of memory_guarded, or NULL */
    uintptr_t mark;             /* value by which memory.c recognises a scratch that is in use */
};
void memory_scratch_begin(struct memory_scratch *s);
void memory_scratch_end(struct memory_scratch *s);

/* Returns work(context). Blocks that GMP's functions allocate inside `work`, in this thread, belong
 * to the library. If there is no memory for one, leaves `work` by longjmp, frees the blocks
 * allocated in it, and returns `no_memory`. So `work` must own nothing else, hold no lock, and give
 * no block to the program's variables. Blocks of variables that outlive it stay valid. */
int memory_guarded(int (*work)(void *context), void *context, int no_memory);

/* Ends every scratch of this thread that memory_scratch_begin has begun: from now on GMP's
 * functions allocate for the program. */
void memory_scratch_stop(void);

/* Does the same as memory_init, for a number that the library owns. */
void memory_init_scratch(mpz_ptr x, size_t limbs);

#endif
