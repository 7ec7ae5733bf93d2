/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the pool, the library's memory for large results: blocks of all sizes in many threads,
 * limits, and memory that is returned to the system. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lib/memory/reclaim.h"
#include "lib/memory/segments.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"

START_TEST(test_shut_or_off) {
    ck_assert(!pool_alloc(1 << 20));
    open_with(0);
    ck_assert(!pool_alloc(1 << 20));
    /* a limit smaller than one segment, the unit in which the pool gets memory */
    open_with(1 << 20);
    ck_assert(!pool_alloc(1 << 16));
    ck_assert(!pool_owns(&mpgpu_conf) && !pool_owns(NULL));
}
END_TEST

START_TEST(test_limit) {
    open_with(3 * SEGMENT_BYTES);
    void *p = pool_alloc(2 * SEGMENT_BYTES), *q = pool_alloc(SEGMENT_BYTES / 2);
    ck_assert(p && q && pool_owns(p) && pool_owns(q));
    ck_assert(!pool_alloc(SEGMENT_BYTES) && !pool_alloc(SIZE_MAX) && !pool_alloc(SIZE_MAX / 2));
    ck_assert_uint_eq(ask().bytes, 3 * SEGMENT_BYTES);
    ck_assert_uint_eq(ask().refused, 3);
    pool_free(p);
    pool_free(q);
    p = pool_alloc(3 * SEGMENT_BYTES); /* all grown together */
    ck_assert(p && !pool_alloc(1));
    ck_assert(!pool_resize(p, 3 * SEGMENT_BYTES + 1) && pool_resize(p, SEGMENT_BYTES));
    ck_assert_uint_eq(pool_room(p), SEGMENT_BYTES);
    ck_assert_uint_eq(ask().used, SEGMENT_BYTES);
    pool_free(p);
    ck_assert_uint_eq(ask().used, 0);
}
END_TEST

enum { THREADS = 6, SLOTS = 40 };

/* A block in use. All its bytes have the value `mark` until it is freed. */
struct held {
    unsigned char *p, mark;
    size_t bytes;
};

static void check_held(const struct held *h) {
    int good = h->p[h->bytes - 1] == h->mark;
    for (size_t i = 0; i < h->bytes; i += 997)
        good = good && h->p[i] == h->mark;
    ck_assert_msg(good, "another's bytes in a block of %zu", h->bytes);
}

static void resize_held(struct held *h, size_t bytes) {
    if (!pool_resize(h->p, bytes))
        return;
    if (bytes > h->bytes)
        memset(h->p + h->bytes, h->mark, bytes - h->bytes);
    h->bytes = bytes;
}

static void *hold_blocks(void *number) {
    struct held held[SLOTS] = {{0}};
    uint64_t random = (uintptr_t)number * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3000; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        struct held *h = &held[random >> 33 & 31];
        size_t bytes = (random >> 40 & 0xffff) << (random >> 60 & 7) | 1;
        if (!h->p) {
            *h = (struct held){pool_alloc(bytes), (unsigned char)(random >> 20), bytes};
            if (h->p)
                memset(h->p, h->mark, bytes);
        } else if (random >> 58 & 1) {
            check_held(h);
            resize_held(h, bytes);
        } else {
            check_held(h);
            pool_free(h->p);
            h->p = NULL;
        }
    }
    for (int i = 0; i < SLOTS; i++)
        if (held[i].p)
            pool_free(held[i].p);
    return NULL;
}

static void *tidy(void *stop) {
    while (!atomic_load((atomic_int *)stop))
        reclaim_purge(0);
    return NULL;
}

/* Returns how many bytes of a block are not 0. */
static size_t left_in(const char *p, size_t bytes) {
    size_t left = 0;
    for (size_t i = 0; i < bytes; i++)
        left += p[i] != 0;
    return left;
}

/* With clear:true, the bytes of freed blocks and the bytes by which a block is shortened must
 * become 0. Without it they must not. */
START_TEST(test_clear) {
    open_with(4 * SEGMENT_BYTES);
    for (int clear = 0; clear < 2; clear++) {
        mpgpu_conf.clear = clear;
        char *p = pool_alloc(1 << 20), *after = pool_alloc(1 << 16);
        memset(p, 0x55, 1 << 20);
        ck_assert(pool_resize(p, 1 << 18));
        ck_assert_uint_eq(left_in(p, 1 << 18), 1 << 18);
        ck_assert_uint_eq(left_in(p + (1 << 18), 3 << 18), clear ? 0 : 3 << 18);
        pool_free(p);
        ck_assert_uint_eq(left_in(p, 1 << 20), clear ? 0 : 1 << 20);
        pool_free(after);
    }
}
END_TEST

START_TEST(test_threads) {
    pthread_t thread[THREADS], tidying;
    atomic_int stop = 0;
    open_with(16 * SEGMENT_BYTES);
    ck_assert_int_eq(pthread_create(&tidying, NULL, tidy, &stop), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, hold_blocks, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    atomic_store(&stop, 1);
    pthread_join(tidying, NULL);
    ck_assert_uint_eq(ask().used, 0);
    reclaim_purge(0);
    ck_assert_uint_eq(ask().bytes, 0);
    ck_assert_uint_gt(ask().returned, 0);
    ck_assert_uint_gt(ask().blocks, 1000);
}
END_TEST

/* Returns the bytes of the process's memory that are resident (in RAM). */
static size_t resident(void) {
    size_t pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert(file && fscanf(file, "%zu %zu", &all, &pages) == 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

START_TEST(test_idle_memory_goes_back) {
    open_with(8 * SEGMENT_BYTES);
    char *p = pool_alloc(3 * SEGMENT_BYTES), *q = pool_alloc(1 << 16);
    size_t before = resident();
    memset(p, 1, 3 * SEGMENT_BYTES);
    memset(q, 2, 1 << 16);
    ck_assert_uint_gt(resident(), before + 2 * SEGMENT_BYTES);
    pool_free(p);
    reclaim_purge(1000);
    ck_assert_uint_eq(ask().bytes, 4 * SEGMENT_BYTES);
    reclaim_purge(0);
    ck_assert_uint_eq(ask().bytes, SEGMENT_BYTES); /* where q lies */
    ck_assert_uint_lt(resident(), before + SEGMENT_BYTES);
    ck_assert(q[0] == 2 && q[(1 << 16) - 1] == 2);
    p = pool_alloc(2 * SEGMENT_BYTES);
    memset(p, 3, 2 * SEGMENT_BYTES);
    pool_free(p);
    pool_free(q);
}
END_TEST

/* The library's background thread must return a segment (a unit of the pool's memory) to the system
 * ten seconds after its last block was freed. */
START_TEST(test_keeper) {
    open_with(4 * SEGMENT_BYTES);
    pool_free(pool_alloc(SEGMENT_BYTES));
    ck_assert_uint_eq(ask().bytes, SEGMENT_BYTES);
    for (int k = 0; k < 300 && ask().bytes > 0; k++)
        usleep(100000);
    ck_assert_uint_eq(ask().bytes, 0);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("pool", 120,
                        TESTS(ONCE(test_shut_or_off), ONCE(test_limit), ONCE(test_clear),
                              ONCE(test_threads), ONCE(test_idle_memory_goes_back),
                              ONCE(test_keeper)));
}
