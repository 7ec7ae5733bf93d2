/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pool: its runs of units beside a plain model, blocks of all sizes in many threads,
 * limits, return to the system, and copies straight to it and from it, also late ones. */
#include "testing.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "lib/conf.h"
#include "lib/extents.h"
#include "lib/gate.h"
#include "lib/keeper.h"
#include "lib/pinned.h"
#include "lib/segments.h"
#include "lib/transfer.h"
#include "pinning.h"

/* ---- runs of units */

enum { ROW = 3000 };
enum { NOTHING = -2, NOBODY = -1 }; /* no unit there; a free one; else the first of its run */

static struct extent table[ROW];
static struct extents row;
static int owner[ROW];

static void set_owner(uint32_t first, uint32_t units, int whose) {
    for (uint32_t i = first; i < first + units; i++)
        owner[i] = whose;
}

static int is_owned(uint32_t first, uint32_t units, int whose) {
    for (uint32_t i = first; i < first + units; i++)
        if (owner[i] != whose)
            return 0;
    return 1;
}

static void check_free(uint32_t first, uint32_t units, void *seen) {
    ck_assert(is_owned(first, units, NOBODY));
    ck_assert(first == 0 || owner[first - 1] != NOBODY); /* it has grown together */
    ck_assert(first + units == ROW || owner[first + units] != NOBODY);
    *(uint32_t *)seen += units;
}

static void check_row(void) {
    uint32_t seen = 0, free_units = 0;
    extents_each_free(&row, check_free, &seen);
    for (int i = 0; i < ROW; i++)
        free_units += owner[i] == NOBODY;
    ck_assert_uint_eq(seen, free_units);
}

/* The longest run of free units. */
static uint32_t longest(void) {
    uint32_t run = 0, most = 0;
    for (int i = 0; i < ROW; i++) {
        run = owner[i] == NOBODY ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static void take_some(void) {
    uint32_t first, units = 1 + (uint32_t)testing_size(200);
    if (extents_take(&row, units, &first)) {
        ck_assert(is_owned(first, units, NOBODY));
        set_owner(first, units, (int)first);
        ck_assert_uint_eq(extents_length(&row, first), units);
    } else {
        ck_assert_uint_lt(longest(), 2 * units); /* a bin further on would have served */
    }
}

/* The taken run that a random unit belongs to is given back, or resized. */
static void change_some(void) {
    int first = owner[testing_below(ROW)];
    if (first < 0)
        return;
    uint32_t had = extents_length(&row, (uint32_t)first), units = 1 + (uint32_t)testing_size(200);
    if (testing_below(3)) {
        extents_give(&row, (uint32_t)first);
        set_owner((uint32_t)first, had, NOBODY);
    } else if (extents_resize(&row, (uint32_t)first, units)) {
        set_owner((uint32_t)first, had, NOBODY);
        set_owner((uint32_t)first, units, first);
    } else {
        ck_assert_uint_gt(units, had);
    }
}

/* A tenth of the row comes or goes, if it is all of one kind. */
static void come_or_go(void) {
    uint32_t units = ROW / 10, first = (uint32_t)testing_below(10) * units;
    for (uint32_t i = first; i < first + units; i++)
        if (owner[i] >= 0 || owner[i] != owner[first])
            return;
    if (owner[first] == NOTHING)
        extents_add(&row, first, units);
    else
        extents_remove(&row, first, units);
    set_owner(first, units, owner[first] == NOTHING ? NOBODY : NOTHING);
}

START_TEST(test_extents) {
    memset(table, 0, sizeof table);
    extents_open(&row, table, ROW);
    set_owner(0, ROW, NOTHING);
    for (int k = 0; k < 20000; k++) {
        if (testing_below(20) == 0)
            come_or_go();
        else if (testing_below(2))
            take_some();
        else
            change_some();
        check_row();
    }
}
END_TEST

/* ---- blocks */

static struct pool_numbers ask(void) {
    struct pool_numbers n;
    pool_ask(&n);
    return n;
}

static void open_with(uint64_t limit) {
    mpgpu_conf.pool = limit;
    pool_open();
}

START_TEST(test_shut_or_off) {
    ck_assert(!pool_take(1 << 20));
    open_with(0);
    ck_assert(!pool_take(1 << 20));
    open_with(1 << 20); /* less than a segment */
    ck_assert(!pool_take(1 << 16));
    ck_assert(!pool_owns(&row) && !pool_owns(NULL));
}
END_TEST

START_TEST(test_limit) {
    open_with(3 * SEGMENT_BYTES);
    void *p = pool_take(2 * SEGMENT_BYTES), *q = pool_take(SEGMENT_BYTES / 2);
    ck_assert(p && q && pool_owns(p) && pool_owns(q));
    ck_assert(!pool_take(SEGMENT_BYTES) && !pool_take(SIZE_MAX) && !pool_take(SIZE_MAX / 2));
    ck_assert_uint_eq(ask().bytes, 3 * SEGMENT_BYTES);
    ck_assert_uint_eq(ask().refused, 3);
    pool_give(p);
    pool_give(q);
    p = pool_take(3 * SEGMENT_BYTES); /* all grown together */
    ck_assert(p && !pool_take(1));
    ck_assert(!pool_resize(p, 3 * SEGMENT_BYTES + 1) && pool_resize(p, SEGMENT_BYTES));
    ck_assert_uint_eq(pool_room(p), SEGMENT_BYTES);
    ck_assert_uint_eq(ask().lent, SEGMENT_BYTES);
    pool_give(p);
    ck_assert_uint_eq(ask().lent, 0);
}
END_TEST

enum { THREADS = 6, SLOTS = 40 };

/* A block is written from end to end with its owner's mark, and holds it to its end. */
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
            *h = (struct held){pool_take(bytes), (unsigned char)(random >> 20), bytes};
            if (h->p)
                memset(h->p, h->mark, bytes);
        } else if (random >> 58 & 1) {
            check_held(h);
            resize_held(h, bytes);
        } else {
            check_held(h);
            pool_give(h->p);
            h->p = NULL;
        }
    }
    for (int i = 0; i < SLOTS; i++)
        if (held[i].p)
            pool_give(held[i].p);
    return NULL;
}

static void *tidy(void *stop) {
    while (!atomic_load((atomic_int *)stop))
        keeper_tidy(0);
    return NULL;
}

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
    ck_assert_uint_eq(ask().lent, 0);
    keeper_tidy(0);
    ck_assert_uint_eq(ask().bytes, 0);
    ck_assert_uint_gt(ask().returned, 0);
    ck_assert_uint_gt(ask().blocks, 1000);
}
END_TEST

/* What the process has in memory. */
static size_t resident(void) {
    size_t pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert(file && fscanf(file, "%zu %zu", &all, &pages) == 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

START_TEST(test_idle_memory_goes_back) {
    open_with(8 * SEGMENT_BYTES);
    char *p = pool_take(3 * SEGMENT_BYTES), *q = pool_take(1 << 16);
    size_t before = resident();
    memset(p, 1, 3 * SEGMENT_BYTES);
    memset(q, 2, 1 << 16);
    ck_assert_uint_gt(resident(), before + 2 * SEGMENT_BYTES);
    pool_give(p);
    keeper_tidy(1000);
    ck_assert_uint_eq(ask().bytes, 4 * SEGMENT_BYTES);
    keeper_tidy(0);
    ck_assert_uint_eq(ask().bytes, SEGMENT_BYTES); /* where q lies */
    ck_assert_uint_lt(resident(), before + SEGMENT_BYTES);
    ck_assert(q[0] == 2 && q[(1 << 16) - 1] == 2);
    p = pool_take(2 * SEGMENT_BYTES);
    memset(p, 3, 2 * SEGMENT_BYTES);
    pool_give(p);
    pool_give(q);
}
END_TEST

/* By itself: after ten seconds without a block. */
START_TEST(test_keeper) {
    open_with(4 * SEGMENT_BYTES);
    pool_give(pool_take(SEGMENT_BYTES));
    ck_assert_uint_eq(ask().bytes, SEGMENT_BYTES);
    for (int k = 0; k < 300 && ask().bytes > 0; k++)
        usleep(100000);
    ck_assert_uint_eq(ask().bytes, 0);
}
END_TEST

/* ---- copies, on a device whose page-locking is played */

static const struct gpu_backend *real;
static struct gpu_backend pinning;
static struct gpu_device dev;
static struct gpu_queue queue;
static struct transfer *transfer;
static gpu_mem mem;
static atomic_int copies;
static int refuses;
static struct {
    int wanted;
    gpu_queue_impl *queue;
    void *pages;
    gpu_mem src;
    size_t offset, bytes;
} late; /* a copy to be made when it is no longer expected */

static int play_register(gpu_device_impl *unused, void *host, size_t bytes) {
    (void)unused;
    return refuses ? GPU_NOMEM : pinning_register(host, bytes);
}

static void play_unregister(gpu_device_impl *unused, void *host) {
    (void)unused;
    pinning_unregister(host);
}

static int play_write(gpu_queue_impl *q, gpu_mem dst, size_t offset, const void *src,
                      size_t bytes) {
    void *pages = pinning_pages(src, bytes);
    copies += pages != NULL;
    return real->write(q, dst, offset, pages ? pages : src, bytes);
}

static int play_read(gpu_queue_impl *q, void *dst, gpu_mem src, size_t offset, size_t bytes) {
    void *pages = pinning_pages(dst, bytes);
    copies += pages != NULL;
    if (pages && late.wanted) {
        late.queue = q;
        late.pages = pages;
        late.src = src;
        late.offset = offset;
        late.bytes = bytes;
        return GPU_FAILED;
    }
    return real->read(q, pages ? pages : dst, src, offset, bytes);
}

enum { DEVICE_BYTES = 100 << 20 };

static void open_transfer(int i) {
    ck_assert_int_eq(open_device(i, &dev), GPU_OK);
    real = dev.backend;
    pinning = *real;
    pinning.host_register = play_register;
    pinning.host_unregister = play_unregister;
    pinning.write = play_write;
    pinning.read = play_read;
    dev.backend = &pinning;
    ck_assert_int_eq(gpu_queue_open(&dev, &queue), GPU_OK);
    ck_assert_int_eq(transfer_open(&dev, 0, &transfer), GPU_OK);
    ck_assert_int_eq(gpu_alloc(&dev, DEVICE_BYTES, &mem), GPU_OK);
    open_with(16 * SEGMENT_BYTES);
}

static void close_transfer(void) {
    gpu_release(&dev, mem);
    pinned_release_all(&dev);
    ck_assert_int_eq(pinning_count(), 0);
    transfer_close(transfer);
    gpu_queue_close(&queue);
    gpu_close(&dev);
}

/* Bytes that tell their place. */
static void fill(unsigned char *x, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

static int are_all(const unsigned char *x, size_t bytes, unsigned char value) {
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != value)
            return 0;
    return 1;
}

/* Up from the pool and down to it, from and to places in the midst of blocks. */
static void round_trip(size_t before, size_t bytes) {
    enum { GUARD = 5000 };
    unsigned char *src = pool_take(before + bytes), *dst = pool_take(bytes + 2 * GUARD + before);
    unsigned char *right = malloc(bytes), *to = dst + GUARD + before;
    ck_assert(src && dst);
    fill(right, bytes, (unsigned)bytes);
    memcpy(src + before, right, bytes);
    memset(dst, 0xa5, bytes + 2 * GUARD + before);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, before % 64 * 4, src + before, bytes), 0);
    ck_assert_int_eq(transfer_down(transfer, &queue, to, mem, before % 64 * 4, bytes), 0);
    ck_assert_msg(memcmp(to, right, bytes) == 0, "%zu bytes at %zu", bytes, before);
    ck_assert(are_all(dst, GUARD + before, 0xa5) && are_all(to + bytes, GUARD, 0xa5));
    free(right);
    pool_give(src);
    pool_give(dst);
}

START_TEST(test_direct_copies) {
    static const size_t sizes[] = {1,     8,       4095,    4096,    4104,     65536,
                                   70000, 5 << 20, 5555552, 9 << 20, 40 << 20, (70 << 20) + 8};
    open_transfer(_i);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        copies = 0;
        round_trip(0, sizes[k]);
        round_trip(8 * testing_below(2000), sizes[k]);
        ck_assert_int_ge(copies, 2 + 2 * (sizes[k] >= 8192));
    }
    ck_assert_uint_gt(ask().pinned, 0);
    close_transfer();
    ck_assert_uint_eq(ask().pinned, 0);
}
END_TEST

/* Memory that cannot be page-locked goes through the ring, and so does that of others. */
START_TEST(test_refused_locks) {
    open_transfer(_i);
    refuses = 1;
    for (int k = 0; k < 6; k++)
        round_trip(16, (5 << 20) + 24);
    ck_assert_int_eq(copies, 0);
    ck_assert(!pinned_reach(&dev, table, sizeof table));
    close_transfer();
}
END_TEST

/* A fork in between: locked anew, and the child's memory is its own. */
START_TEST(test_locks_after_fork) {
    open_transfer(_i);
    round_trip(0, 1 << 20);
    unsigned before = segment_generation();
    pid_t child = fork();
    if (child == 0)
        _exit(segment_pinned(0) == 0 && !pool_take(1 << 20) ? 42 : 1);
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    ck_assert_uint_ne(segment_generation(), before);
    round_trip(0, 1 << 20);
    ck_assert_uint_eq(segment_pinned(0), segment_generation());
    close_transfer();
}
END_TEST

/* The gate is shut while the device is to write into a number: what it writes later, the
 * program never sees. */
START_TEST(test_late_copies) {
    open_transfer(_i);
    size_t bytes = (40 << 20) + 12345;
    unsigned char *p = pool_take(bytes + 64), *dst = p + 16;
    memset(p, 0x77, bytes + 64);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, 0, dst, bytes), GPU_OK);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    late.wanted = 1;
    ck_assert_int_eq(transfer_down(transfer, &queue, dst, mem, 0, bytes), GPU_FAILED);
    ck_assert_ptr_nonnull(late.pages);
    gate_shut();
    ck_assert(are_all(p, 16, 0x77) && are_all(dst + bytes, 48, 0x77)); /* neighbours */
    memset(dst, 0x11, bytes);                                          /* GMP's result */
    ck_assert_int_eq(real->read(late.queue, late.pages, late.src, late.offset, late.bytes), 0);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    ck_assert_msg(are_all(dst, bytes, 0x11), "written late");
    late.wanted = 0;
    ck_assert_int_ne(transfer_down(transfer, &queue, dst, mem, 0, bytes), GPU_OK);
    ck_assert(dst[5000] == 0x11);
    pool_give(p);
    close_transfer();
}
END_TEST

/* A failure that was waited for ends what was lent: nothing is replaced later. */
START_TEST(test_failed_copies) {
    open_transfer(_i);
    unsigned char *p = pool_take(1 << 20);
    memset(p, 0x22, 1 << 20);
    late.wanted = 1;
    ck_assert_int_eq(transfer_down(transfer, &queue, p, mem, 0, 1 << 20), GPU_FAILED);
    transfer_end_loans(transfer);
    gate_shut();
    ck_assert(are_all(p, 1 << 20, 0x22));
    pool_give(p);
    close_transfer();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_set_timeout(tests, 120);
    testing_random();
    tcase_add_test(tests, test_extents);
    tcase_add_test(tests, test_shut_or_off);
    tcase_add_test(tests, test_limit);
    tcase_add_test(tests, test_threads);
    tcase_add_test(tests, test_idle_memory_goes_back);
    tcase_add_test(tests, test_keeper);
    find_devices();
    tcase_add_loop_test(tests, test_direct_copies, 0, device_count);
    tcase_add_loop_test(tests, test_refused_locks, 0, device_count);
    tcase_add_loop_test(tests, test_locks_after_fork, 0, device_count);
    tcase_add_loop_test(tests, test_late_copies, 0, device_count);
    tcase_add_loop_test(tests, test_failed_copies, 0, device_count);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
