/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program with a malloc and free of its own, like GNU Common Lisp's. They are not
 * thread-safe, have no aligned memory, do not work before main, and free only their own blocks.
 * The library must not change the program's dlerror. Built with COMPLETE, the functions are
 * thread-safe and have aligned memory. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "tests/support/products.h"

#define EXPORT __attribute__((visibility("default"))) /* exported functions replace libc's */

static struct {
    _Alignas(64) char bytes[512 << 20];
    size_t used;
} arena;

/* Unit of the allocator; each block's size is stored in the 64 bytes before the block. */
enum { UNIT = 64 };

static int main_has_begun;

static void die(const char *what) {
    fputs(what, stderr);
    abort();
}

#ifdef COMPLETE
/* Reserves bytes of the arena atomically, which works with threads and in a child of fork. */
static size_t take(size_t bytes) {
    return __atomic_fetch_add(&arena.used, bytes, __ATOMIC_SEQ_CST);
}
#else
static size_t take(size_t bytes) {
    const size_t at = arena.used;
    arena.used += bytes;
    return at;
}
#endif

/* Allocates a block and stores its size. `alignment` is a power of two. */
static void *allocate(size_t bytes, size_t alignment) {
    const size_t all = UNIT + (bytes + UNIT - 1) / UNIT * UNIT + (alignment > UNIT ? alignment : 0);
    if (all < bytes || all > sizeof arena.bytes / 2)
        return NULL;
    const size_t at = take(all);
    if (at > sizeof arena.bytes / 2)
        return NULL;
    char *block = arena.bytes + at + UNIT;
    if (alignment > UNIT)
        block += -(uintptr_t)block & (alignment - 1);
    memcpy(block - sizeof bytes, &bytes, sizeof bytes);
    return block;
}

EXPORT void *malloc(size_t bytes) {
    if (!main_has_begun)
        die("malloc before main\n");
    return allocate(bytes, UNIT);
}

static void check(const void *p) {
    const char *block = p;
    if (p && (block < arena.bytes || block >= arena.bytes + sizeof arena.bytes))
        die("free: not made by this malloc\n");
}

EXPORT void free(void *p) {
    check(p);
}

EXPORT void *calloc(size_t n, size_t size) {
    return size && n > SIZE_MAX / size ? NULL : malloc(n * size); /* the arena is never reused,
                                                                     so its bytes are 0 */
}

EXPORT void *realloc(void *p, size_t bytes) {
    size_t old = 0;
    check(p);
    if (p)
        memcpy(&old, (char *)p - sizeof old, sizeof old);
    void *moved = malloc(bytes);
    return moved && p ? memcpy(moved, p, old < bytes ? old : bytes) : moved;
}

#ifdef COMPLETE
EXPORT void *aligned_alloc(size_t alignment, size_t bytes) {
    return allocate(bytes, alignment);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes) {
    *block = allocate(bytes, alignment);
    return *block ? 0 : ENOMEM;
}
#endif

static void expect(int right, const char *what) {
    if (!right)
        die(what);
}

int main(void) {
    main_has_begun = 1;
    expect(!dlerror(), "an error before main\n");
    multiply(100000);
    expect(!dlerror(), "an error of the first product\n");
    expect(!dlsym(RTLD_DEFAULT, "no_such_symbol"), "no_such_symbol\n");
    for (unsigned long bits = 100; bits < 2000000; bits *= 3)
        multiply(bits);
    const char *error = dlerror();
    expect(error && strstr(error, "no_such_symbol"), "the program's own error is lost\n");
    puts("right");
    return 0;
}
