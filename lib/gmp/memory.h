/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets GMP's memory functions, and allocates limbs of results in the pool (lib/memory/pool.h).
 * GMP's functions can clear, swap and reallocate a number whose limbs are in the pool like any
 * other. */
#ifndef MPGPU_MEMORY_H
#define MPGPU_MEMORY_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *memory_allocate(size_t bytes);
typedef void *memory_reallocate(void *p, size_t old, size_t bytes);
typedef void memory_free(void *p, size_t bytes);

/* Do what mp_set_memory_functions and mp_get_memory_functions of libgmp do for the program. Once
 * GMP calls this library's functions, it continues to call these; the program does not see them. */
void memory_set_functions(memory_allocate *a, memory_reallocate *r, memory_free *f);
void memory_get_functions(memory_allocate **a, memory_reallocate **r, memory_free **f);

/* The least bytes of a block of the pool. Smaller results come from GMP's allocation function,
 * since the pool would save them few page faults. Tests lower this value. */
extern __attribute__((visibility("hidden"))) size_t memory_least;

/* Allocates a block of `bytes` bytes from the pool; GMP's free function frees it. Returns NULL if
 * `bytes` is below memory_least or the pool has no space: the caller then uses GMP's allocation
 * function. Also returns NULL if the program has memory functions of its own or more than one
 * libgmp, because code that frees the limbs might then not know the pool. */
void *memory_alloc(size_t bytes);

/* Initialises x to 0 with `limbs` limbs allocated, at most INT_MAX. They are from the pool if it
 * has space; otherwise mpz_init2 allocates them. x must not be initialised before. */
void memory_init(mpz_ptr x, size_t limbs);

/* Returns true if the program has memory functions of its own. The limbs of the program's variables
 * then come only from these functions, never from blocks of the library. */
bool memory_is_programs(void);

/* memory_of_program allocates a block by the program's allocation function. memory_free_gmps frees
 * a block that a GMP function has allocated, as gmp_asprintf does. */
void *memory_of_program(size_t bytes);
void memory_free_gmps(void *p, size_t bytes);

/* For programs with memory functions of their own: between memory_scratch_begin and
 * memory_scratch_end, blocks that GMP's functions allocate in this thread belong to the library. In
 * other programs these functions change nothing. *s must be on the stack, in a frame that calls GMP
 * directly or indirectly. GMP's functions may also free such blocks after memory_scratch_end. */
struct memory_guard;
struct memory_scratch {
    const struct memory_scratch *before;
    struct memory_guard *guard; /* state of the enclosing call of memory_guarded, or NULL */
    uintptr_t mark;             /* value by which memory.c recognises that this struct is in use */
};
void memory_scratch_begin(struct memory_scratch *s);
void memory_scratch_end(struct memory_scratch *s);

/* Does the same as memory_scratch_begin, for all programs.  The blocks are from the library's heap
 * (lib/process/heap.h), so malloc has the same blocks as if GMP did not allocate. */
void memory_scratch_begin_apart(struct memory_scratch *s);

/* Returns work(context). The library owns the blocks that GMP's functions allocate in this thread
 * inside `work`. If memory for a block is missing, leaves `work` by longjmp, frees the blocks
 * allocated in it, and returns `no_memory`. So `work` must own nothing else, hold no lock, and pass
 * no block to the program's variables. If `work` returns normally, blocks of variables outside it
 * stay valid. */
int memory_guarded(int (*work)(void *context), void *context, int no_memory);

/* Ends every memory_scratch_begin of this thread that has not ended: from now on GMP's functions
 * allocate for the program. */
void memory_scratch_stop(void);

/* Does the same as memory_init, for a number that the library owns. */
void memory_init_scratch(mpz_ptr x, size_t limbs);

#endif
