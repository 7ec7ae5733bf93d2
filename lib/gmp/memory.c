/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces GMP's memory functions by first_allocate, first_reallocate and first_free. They
 * recognise blocks that belong to this library: blocks of the pool (lib/memory/pool.h), and private
 * blocks (lib/gmp/private_block.h). They pass all other calls to the program's functions, or to
 * GMP's defaults.
 *
 * The library replaces the functions when it first takes a block from the pool. It also does so
 * when the program asks for the memory functions, because the program may keep the pointers. In a
 * program with functions of its own, it does so at the first memory_scratch_begin or
 * memory_guarded. GMP never allocates a string for the program in a block of the library, because
 * programs pass strings to free().
 *
 * A program's own functions see the same calls as with GMP alone: allocations for results. Between
 * memory_scratch_begin and memory_scratch_end, GMP's allocations in that thread are private blocks.
 *
 * If a program without memory functions of its own asks GMP for them, it gets plain_reallocate and
 * plain_free, which handle blocks of the pool and of malloc. The program may call them for limbs
 * and strings, even after it has set other functions, and it may set them again.
 *
 * A program with its own functions gets those, and no blocks of the pool: it may rely on its
 * functions for more than GMP requires, for example for a garbage collector that finds all
 * blocks. */
#include "lib/gmp/memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/gmp/memory_guard.h"
#include "lib/gmp/private_block.h"
#include "lib/gmp/real.h"
#include "lib/memory/pool.h"
#include "lib/process/heap.h"
#include "lib/process/signal_guard.h"

size_t memory_least = 128 << 10;

/* The program's memory functions, which the first_* functions call; NULL for one of GMP's defaults.
 */
static memory_allocate *_Atomic their_allocate;
static memory_reallocate *_Atomic their_reallocate;
static memory_free *_Atomic their_free;

static bool is_default(void) {
    return !their_allocate && !their_reallocate && !their_free;
}

/* The innermost struct memory_scratch of this thread between its memory_scratch_begin and
 * memory_scratch_end, or NULL. A call from a higher stack address than this struct shows that a
 * longjmp has skipped memory_scratch_end. */
static _Thread_local const struct memory_scratch *scratch;

static bool is_outside(const void *frame) {
    /* If scratch is NULL, this is true for every frame. */
    return (uintptr_t)frame >= (uintptr_t)scratch;
}

/* Returns the value that s->mark has while *s is in use. After a longjmp has skipped
 * memory_scratch_end, other data may overwrite *s; then s->mark differs. */
static uintptr_t mark_of(const struct memory_scratch *s) {
    return (uintptr_t)s ^ (uintptr_t)0x9e3779b97f4a7c15u;
}

/* Returns true if `frame`, a stack address, belongs to a call between memory_scratch_begin and
 * memory_scratch_end. */
static bool is_inside(const void *frame) {
    return scratch && !is_outside(frame) && scratch->mark == mark_of(scratch);
}

static bool is_scratch(void) {
    return is_inside(__builtin_frame_address(0));
}

/* Returns the guard of the call of memory_guarded that this thread is inside, or NULL. */
static struct memory_guard *guard_here(void) {
    return is_scratch() ? scratch->guard : NULL;
}

static void *scratch_allocate(size_t bytes) {
    struct memory_guard *guard = scratch->guard;
    return guard ? memory_guard_alloc(guard, bytes) : private_block_alloc(bytes);
}

static void *first_allocate(size_t bytes) {
    memory_allocate *theirs = their_allocate;
    if (is_scratch())
        return scratch_allocate(bytes);
    return theirs ? theirs(bytes) : real.__gmp_default_allocate(bytes);
}

static void plain_free(void *p, size_t bytes) {
    if (pool_owns(p))
        pool_free(p);
    else
        real.__gmp_default_free(p, bytes);
}

static void first_free(void *p, size_t bytes) {
    memory_free *theirs = their_free;
    struct memory_guard *guard = guard_here();
    if (private_block_owns(p) && guard)
        memory_guard_free(guard, p, bytes);
    else if (private_block_owns(p))
        private_block_free(p, bytes);
    else if (!theirs || pool_owns(p))
        plain_free(p, bytes);
    else
        theirs(p, bytes);
}

/* Resizes a block of the pool in place if possible. Otherwise moves it within the pool or to memory
 * from `allocate`. That function may leave by longjmp, so the pool's block is freed last. */
static void *resize(void *p, size_t old, size_t bytes, memory_allocate *allocate) {
    if (bytes >= memory_least / 2 && pool_resize(p, bytes))
        return p;
    void *moved = memory_alloc(bytes);
    if (!moved)
        moved = allocate(bytes);
    memcpy(moved, p, min_u64(old, bytes));
    pool_free(p);
    return moved;
}

static void *plain_reallocate(void *p, size_t old, size_t bytes) {
    return pool_owns(p) ? resize(p, old, bytes, real.__gmp_default_allocate)
                        : real.__gmp_default_reallocate(p, old, bytes);
}

/* Resizes a private block. Outside memory_scratch_begin and memory_scratch_end, the block belongs
 * to a variable of the program, because a longjmp has skipped memory_scratch_end. It then moves to
 * the program's memory. */
static void *resize_private(void *p, size_t old, size_t bytes) {
    struct memory_guard *guard = guard_here();
    if (is_scratch())
        return guard ? memory_guard_resize(guard, p, bytes) : private_block_resize(p, old, bytes);
    void *moved = first_allocate(bytes);
    memcpy(moved, p, min_u64(old, bytes));
    private_block_free(p, old);
    return moved;
}

static void *first_reallocate(void *p, size_t old, size_t bytes) {
    memory_reallocate *theirs = their_reallocate;
    memory_allocate *allocate = their_allocate;
    if (private_block_owns(p))
        return resize_private(p, old, bytes);
    if (pool_owns(p))
        return resize(p, old, bytes, allocate ? allocate : real.__gmp_default_allocate);
    return theirs ? theirs(p, old, bytes) : plain_reallocate(p, old, bytes);
}

/* GMP's current memory functions. */
struct functions {
    memory_allocate *allocate;
    memory_reallocate *reallocate;
    memory_free *release;
};

static struct functions current(void) {
    struct functions f;
    real.mp_get_memory_functions(&f.allocate, &f.reallocate, &f.release);
    return f;
}

static bool are_ours(struct functions f) {
    return f.allocate == first_allocate && f.reallocate == first_reallocate &&
           f.release == first_free;
}

static bool are_defaults(struct functions f) {
    return f.allocate == real.__gmp_default_allocate &&
           f.reallocate == real.__gmp_default_reallocate && f.release == real.__gmp_default_free;
}

/* Returns true if results may be allocated in the pool. */
static bool is_allowed(struct functions f) {
    return is_default() && (are_ours(f) || are_defaults(f)) && real_is_alone();
}

/* Sets the program's functions. NULL stands for GMP's default, as in GMP. plain_reallocate and
 * plain_free also stand for a default: the program has got them from memory_get_functions. */
static void set_theirs(memory_allocate *a, memory_reallocate *r, memory_free *f) {
    their_allocate = a == real.__gmp_default_allocate ? NULL : a;
    their_reallocate = r == real.__gmp_default_reallocate || r == plain_reallocate ? NULL : r;
    their_free = f == real.__gmp_default_free || f == plain_free ? NULL : f;
}

static void put_ours(struct functions f) {
    if (are_ours(f))
        return;
    set_theirs(f.allocate == first_allocate ? their_allocate : f.allocate,
               f.reallocate == first_reallocate ? their_reallocate : f.reallocate,
               f.release == first_free ? their_free : f.release);
    real.mp_set_memory_functions(first_allocate, first_reallocate, first_free);
}

static void *alloc(size_t bytes) {
    struct functions f = current();
    void *p = is_allowed(f) ? pool_alloc(bytes) : NULL;
    if (p)
        put_ours(f);
    return p;
}

void *memory_alloc(size_t bytes) {
    if (bytes < memory_least || !pool_is_open())
        return NULL;
    struct signal_guard guard;
    signal_guard_begin(&guard);
    void *p = alloc(bytes);
    signal_guard_end(&guard);
    return p;
}

void memory_init(mpz_ptr x, size_t limbs) {
    mp_ptr p = memory_alloc(limbs * sizeof *p);
    if (p)
        *x = (__mpz_struct){._mp_alloc = (int)limbs, ._mp_d = p};
    else
        mpz_init2(x, (mp_bitcnt_t)limbs * GMP_NUMB_BITS);
}

bool memory_is_programs(void) {
    struct functions f = current();
    return are_ours(f) ? !is_default() : !are_defaults(f);
}

void *memory_of_program(size_t bytes) {
    memory_allocate *theirs = their_allocate, *gmps = current().allocate;
    struct memory_guard *guard = guard_here();
    if (guard) /* inside memory_guarded only the library calls this function */
        return memory_guard_alloc(guard, bytes);
    return gmps != first_allocate ? gmps(bytes)
           : theirs               ? theirs(bytes)
                                  : real.__gmp_default_allocate(bytes);
}

void memory_free_gmps(void *p, size_t bytes) {
    current().release(p, bytes);
}

static void begin_scratch(struct memory_scratch *s, bool is_wanted) {
    s->before = is_inside(s) ? scratch : NULL;
    s->guard = s->before ? s->before->guard : NULL;
    if (!is_wanted)
        return;
    put_ours(current());
    s->mark = mark_of(s);
    scratch = s;
}

void memory_scratch_begin(struct memory_scratch *s) {
    begin_scratch(s, memory_is_programs());
}

void memory_scratch_begin_apart(struct memory_scratch *s) {
    private_block_use_heap();
    begin_scratch(s, true);
}

void memory_scratch_end(struct memory_scratch *s) {
    s->mark = 0;
    scratch = s->before;
}

/* Runs `work`. Returns false if a longjmp has left `work`. */
static bool do_guarded(struct memory_guard *g, int (*work)(void *context), void *context,
                       int *result) {
    if (setjmp(g->out) != 0)
        return false;
    *result = work(context);
    return true;
}

int memory_guarded(int (*work)(void *context), void *context, int no_memory) {
    struct memory_guard guard = {.count = 0};
    struct memory_scratch s = {is_inside(&s) ? scratch : NULL, &guard, mark_of(&s)};
    int result = no_memory;
    put_ours(current());
    scratch = &s;
    bool is_done = do_guarded(&guard, work, context, &result);
    memory_scratch_end(&s);
    if (!is_done)
        memory_guard_abandon(&guard);
    else
        memory_guard_end(&guard);
    return result;
}

/* Does nothing inside memory_guarded: there GMP's functions never allocate for the program. */
void memory_scratch_stop(void) {
    if (!guard_here())
        scratch = NULL;
}

void memory_init_scratch(mpz_ptr x, size_t limbs) {
    struct memory_scratch s;
    memory_scratch_begin(&s);
    memory_init(x, limbs);
    memory_scratch_end(&s);
}

void memory_set_functions(memory_allocate *a, memory_reallocate *r, memory_free *f) {
    if (!are_ours(current())) {
        real.mp_set_memory_functions(a, r, f);
        return;
    }
    set_theirs(a, r, f);
}

/* Makes GMP use first_allocate, first_reallocate and first_free from now on. Called before the
 * program receives pointers to memory functions, to which it may later pass blocks of the pool. */
static void prepare(void) {
    struct signal_guard guard;
    if (!mpgpu_conf.pool || heap_is_needed())
        return;
    signal_guard_begin(&guard);
    struct functions f = current();
    if (is_allowed(f))
        put_ours(f);
    signal_guard_end(&guard);
}

void memory_get_functions(memory_allocate **a, memory_reallocate **r, memory_free **f) {
    prepare();
    real.mp_get_memory_functions(a, r, f);
    if (a && *a == first_allocate)
        *a = their_allocate ? their_allocate : real.__gmp_default_allocate;
    if (r && *r == first_reallocate)
        *r = their_reallocate ? their_reallocate : plain_reallocate;
    if (f && *f == first_free)
        *f = their_free ? their_free : plain_free;
}
