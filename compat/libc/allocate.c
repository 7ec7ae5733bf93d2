/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces malloc and related functions for the library's own calls, which the linker option --wrap
 * redirects to this file. The program's calls of malloc are not affected. If heap_is_needed()
 * returns true, the calls use lib/process/heap.h instead, because the program's malloc must not be
 * called during a GMP call. The replacement of free also frees blocks of the C library.
 *
 * If the program has memory functions of its own, signals are blocked inside malloc. Otherwise a
 * signal handler that leaves a GMP call by longjmp could leave malloc's locks locked. The program's
 * memory functions may prevent this by blocking signals, as Sage's do; GMP alone then never calls
 * malloc itself. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/process/heap.h"
#include "lib/process/signal_guard.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *p);
char *__real_strerror(int error);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);
void __wrap_free(void *p);
char *__wrap_strerror(int error);

extern const char *strerrordesc_np(int error) __attribute__((weak)); /* glibc 2.32 */

/* A call of the program's malloc. `is_begun` is false if no guard is needed: GMP's functions are
 * not found yet; the program has no memory functions of its own, so GMP alone calls malloc too; or
 * the thread is inside a guard. */
struct guarded {
    struct signal_guard guard;
    bool is_begun;
};

static void begin_call(struct guarded *g) {
    g->is_begun = real_is_resolved() && memory_is_programs() && !signal_guard_is_here();
    if (g->is_begun)
        signal_guard_begin(&g->guard);
}

static void end_call(struct guarded *g) {
    if (g->is_begun)
        signal_guard_end(&g->guard);
}

/* Ends a call that has allocated `block`, which is NULL on failure, and returns it. */
static void *end_allocation(struct guarded *g, void *block) {
    if (!block)
        g->guard.error = errno;
    end_call(g);
    return block;
}

/* Returns the block that `call` allocates. */
#define GUARDED(call)                                                                              \
    struct guarded guarded;                                                                        \
    begin_call(&guarded);                                                                          \
    return end_allocation(&guarded, call)

void *__wrap_malloc(size_t bytes) {
    if (heap_is_needed())
        return heap_alloc(bytes);
    GUARDED(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t size) {
    size_t bytes;
    if (!heap_is_needed()) {
        GUARDED(__real_calloc(n, size));
    }
    void *p = heap_alloc(__builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *__wrap_realloc(void *p, size_t bytes) {
    if (p ? heap_owns(p) : heap_is_needed())
        return p ? heap_resize(p, bytes) : heap_alloc(bytes);
    GUARDED(__real_realloc(p, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    if (heap_is_needed())
        return heap_alloc_aligned(alignment, bytes);
    GUARDED(__real_aligned_alloc(alignment, bytes));
}

char *__wrap_strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = __wrap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Replaces strerror while the library must not call malloc: the C library's strerror allocates
 * memory to translate the text. */
char *__wrap_strerror(int error) {
    const char *text = NULL;
    if (!heap_is_needed())
        return __real_strerror(error);
    if (strerrordesc_np)
        text = strerrordesc_np(error);
    return (char *)(text ? text : "system error");
}

void __wrap_free(void *p) {
    struct guarded guarded;
    if (heap_owns(p)) {
        heap_free(p);
    } else if (p) {
        begin_call(&guarded);
        __real_free(p);
        end_call(&guarded);
    }
}
