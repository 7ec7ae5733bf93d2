/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the heap, from which the library allocates where it must not call the program's malloc.
 * Fills each block with a pattern of its own, and checks the pattern before the block is resized or
 * freed. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#include "lib/process/heap.h"
#include "tests/support/testing.h"

enum { BLOCKS = 64, ROUNDS = 20000, THREADS = 4, LARGEST = 3 << 20 };

struct block {
    unsigned char *p;
    size_t bytes;
};

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Returns a length in bytes: mostly short, sometimes megabytes, often a multiple of 16. */
static size_t length(uint64_t *state) {
    const unsigned shift = (unsigned)(next(state) % (next(state) % 16 == 0 ? 21 : 12));
    const size_t bytes = ((size_t)1 << shift) + next(state) % ((size_t)1 << shift);
    return next(state) % 4 == 0 ? (bytes & ~(size_t)15) - (bytes >= 32 ? 16 : 0) : bytes;
}

static void fill(struct block *b) {
    memset(b->p, (int)((uintptr_t)b->p >> 4), b->bytes);
}

/* Checks the first `bytes` bytes of the block, which `fill` wrote when the block was at address
 * `was`. */
static int is_filled(const struct block *b, const void *was, size_t bytes) {
    const unsigned char byte = (unsigned char)((uintptr_t)was >> 4);
    for (size_t i = 0; i < bytes; i++)
        if (b->p[i] != byte)
            return 0;
    return 1;
}

static void change(struct block *b, uint64_t *state) {
    const size_t bytes = length(state), alignment = (size_t)1 << (next(state) % 14);
    const void *was = b->p;
    if (!b->p) {
        b->p = next(state) % 2 ? heap_alloc(bytes) : heap_alloc_aligned(alignment, bytes);
        ck_assert_ptr_nonnull(b->p);
        ck_assert_uint_eq((uintptr_t)b->p % 16, 0);
    } else if (next(state) % 3 == 0) {
        const size_t kept = bytes < b->bytes ? bytes : b->bytes;
        b->p = heap_resize(b->p, bytes);
        ck_assert_ptr_nonnull(b->p);
        ck_assert(is_filled(b, was, kept));
    } else {
        ck_assert(is_filled(b, was, b->bytes));
        heap_free(b->p);
        b->p = NULL;
        return;
    }
    ck_assert(heap_owns(b->p));
    b->bytes = bytes;
    fill(b);
}

static void *use_heap(void *seed) {
    struct block block[BLOCKS] = {{NULL, 0}};
    uint64_t state = *(const uint64_t *)seed;
    for (int i = 0; i < ROUNDS; i++)
        change(&block[next(&state) % BLOCKS], &state);
    for (int i = 0; i < BLOCKS; i++)
        heap_free(block[i].p);
    return NULL;
}

START_TEST(threads) {
    pthread_t thread[THREADS];
    uint64_t seed[THREADS];
    for (int i = 0; i < THREADS; i++) {
        seed[i] = (uint64_t)i + 1;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, use_heap, &seed[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}
END_TEST

static uint64_t handler_state = 99;
static struct block of_handler[BLOCKS];

static void handle(int signal) {
    (void)signal;
    change(&of_handler[next(&handler_state) % BLOCKS], &handler_state);
}

/* A signal handler allocates and frees blocks, also while it interrupts a function of the heap. */
START_TEST(handlers) {
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    uint64_t seed = 7;
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 4; i++)
        use_heap(&seed);
    setitimer(ITIMER_REAL, &never, NULL);
}
END_TEST

START_TEST(alignments) {
    for (size_t alignment = 1; alignment <= (size_t)1 << 22; alignment *= 2)
        for (size_t bytes = 1; bytes < 5000; bytes = 3 * bytes + 1) {
            unsigned char *p = heap_alloc_aligned(alignment, bytes);
            ck_assert_ptr_nonnull(p);
            ck_assert_uint_eq((uintptr_t)p % alignment, 0);
            memset(p, 1, bytes);
            heap_free(p);
        }
}
END_TEST

/* Freed blocks must be used again: here each allocation must return the same address. */
START_TEST(reuse) {
    const char *first = heap_alloc(LARGEST);
    heap_free((void *)first);
    for (int i = 0; i < 1000; i++) {
        char *p = heap_alloc(LARGEST);
        ck_assert_ptr_eq(p, first);
        p[0] = p[LARGEST - 1] = 1;
        heap_free(p);
    }
}
END_TEST

START_TEST(limits) {
    char here, *p = heap_alloc(0);
    ck_assert_ptr_nonnull(p);
    ck_assert(!heap_owns(&here) && !heap_owns(NULL) && heap_owns(p));
    const size_t most[] = {SIZE_MAX, SIZE_MAX - 15, (size_t)1 << 63, (size_t)1 << 40,
                           (size_t)1 << 36};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        ck_assert_ptr_null(heap_alloc(most[i]));
        ck_assert_ptr_null(heap_alloc_aligned(64, most[i]));
        ck_assert_ptr_null(heap_resize(p, most[i]));
    }
    ck_assert_ptr_null(heap_alloc_aligned((size_t)1 << 62, 1));
    heap_free(p);
    heap_free(NULL);
    /* false with the C library's malloc, which has all functions that the library needs */
    ck_assert(!heap_is_needed());
}
END_TEST

int main(void) {
    return testing_main(
        "heap", 300,
        TESTS(ONCE(threads), ONCE(handlers), ONCE(alignments), ONCE(reuse), ONCE(limits)));
}
