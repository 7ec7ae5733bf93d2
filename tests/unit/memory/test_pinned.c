/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests direct copies between the pool (the library's memory for large results) and devices, with
 * functions that imitate page-locking. Tests the copies also after a fork, if locking is refused,
 * and after memory was returned to the system. Then tests copies after the access guard
 * (lib/process/access_guard.h) has closed the memory to the device. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/memory/pinned.h"
#include "lib/memory/reclaim.h"
#include "lib/memory/segments.h"
#include "lib/process/access_guard.h"
#include "lib/transfer/transfer.h"
#include "tests/support/devices.h"
#include "tests/support/pinning.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"

static const struct gpu_backend *real;
static struct gpu_backend pinning;
static struct gpu_device dev;
static struct gpu_queue queue;
static struct transfer *transfer;
static struct access_guard guard;
static struct lease lease = {.guard = &guard};
static gpu_mem mem;
static atomic_int copies;
static int refuses;
static struct {
    int wanted;
    gpu_queue_impl *queue;
    void *pages;
    gpu_mem src;
    size_t offset, bytes;
    /* a copy to the host that the device makes only after the library has stopped waiting for it */
} late;

static enum gpu_status play_register(gpu_device_impl *unused, void *host, size_t bytes) {
    (void)unused;
    return refuses ? GPU_NOMEM : pinning_register(host, bytes);
}

static void play_unregister(gpu_device_impl *unused, void *host) {
    (void)unused;
    pinning_unregister(host);
}

static enum gpu_status play_write(gpu_queue_impl *q, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes) {
    void *pages = pinning_pages(src, bytes);
    copies += pages != NULL;
    return real->write(q, dst, offset, pages ? pages : src, bytes);
}

static enum gpu_status play_read(gpu_queue_impl *q, void *dst, gpu_mem src, size_t offset,
                                 size_t bytes) {
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

enum { DEVICE_BYTES = 100 << 20, MARK = 0x3c };

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
    ck_assert_int_eq(transfer_open(&dev, &lease, &transfer), GPU_OK);
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

static int are_all(const unsigned char *x, size_t bytes, unsigned char value) {
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != value)
            return 0;
    return 1;
}

/* Copies from the pool to the device and back, from and to places inside the pool's blocks. The
 * bytes before and after the copy must not change. */
static void round_trip(size_t before, size_t bytes) {
    enum { GUARD = 5000 };
    unsigned char *src = pool_alloc(before + bytes), *dst = pool_alloc(bytes + 2 * GUARD + before);
    unsigned char *right = malloc(bytes), *to = dst + GUARD + before;
    ck_assert(src && dst);
    testing_fill(right, bytes, (unsigned)bytes);
    memcpy(src + before, right, bytes);
    memset(dst, 0xa5, bytes + 2 * GUARD + before);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, before % 64 * 4, src + before, bytes), 0);
    ck_assert_int_eq(transfer_down(transfer, &queue, to, mem, before % 64 * 4, bytes), 0);
    ck_assert_msg(memcmp(to, right, bytes) == 0, "%zu bytes at %zu", bytes, before);
    ck_assert(are_all(dst, GUARD + before, 0xa5) && are_all(to + bytes, GUARD, 0xa5));
    free(right);
    pool_free(src);
    pool_free(dst);
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

/* Copies from and to the pool are never short, unless other contexts are in use. */
START_TEST(test_short_copies) {
    open_transfer(_i);
    void *block = pool_alloc(SEGMENT_BYTES);
    ck_assert_ptr_nonnull(block);
    ck_assert(!transfer_is_short(transfer, block, 4096));
    transfer_share(transfer, 2);
    ck_assert(transfer_is_short(transfer, block, 4096));
    pool_free(block);
    close_transfer();
}
END_TEST

/* If memory cannot be page-locked, copies must go through the staging buffers (the library's own
 * page-locked memory), as for memory outside the pool. */
START_TEST(test_refused_locks) {
    open_transfer(_i);
    refuses = 1;
    for (int k = 0; k < 6; k++)
        round_trip(16, (5 << 20) + 24);
    ck_assert_int_eq(copies, 0);
    ck_assert(!pinned_reach(&dev, &late, sizeof late));
    close_transfer();
}
END_TEST

/* After a fork, the parent must page-lock its segments (large parts of the pool) again. The child's
 * pool must be closed. */
START_TEST(test_locks_after_fork) {
    open_transfer(_i);
    round_trip(0, 1 << 20);
    unsigned before = segments_generation();
    pid_t child = fork();
    if (child == 0)
        _exit(segments_pinned(0) == 0 && !pool_alloc(1 << 20) ? 42 : 1);
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    ck_assert_uint_ne(segments_generation(), before);
    round_trip(0, 1 << 20);
    ck_assert_uint_eq(segments_pinned(0), segments_generation());
    close_transfer();
}
END_TEST

/* Unlocks a segment (a large part of the pool) before its memory is returned to the system. First
 * checks that the segment is page-locked and still has its content. */
static bool unlock(size_t segment) {
    ck_assert_uint_ne(segments_pinned(segment), 0);
    ck_assert_int_eq(*(volatile char *)segments_address(segment), MARK);
    pinned_release(&dev, segment);
    return segments_pinned(segment) == 0;
}

/* A segment (a large part of the pool) that was returned to the system and is used again has new
 * pages. These must be page-locked, and copies must use them. */
START_TEST(test_locks_of_new_pages) {
    open_transfer(_i);
    reclaim_set_unlock(unlock);
    for (int k = 0; k < 3; k++) {
        char *first = pool_alloc(1);
        *first = MARK;
        round_trip(0, 1 << 20);
        ck_assert_int_eq(pinning_count(), 1);
        pool_free(first);
        reclaim_purge(0);
        ck_assert_int_eq(pinning_count(), 0);
        ck_assert_uint_eq(ask().bytes, 0);
    }
    close_transfer();
}
END_TEST

/* access_guard_close closes the memory to the device while a copy to it is still pending. The
 * program must never see what this copy writes later. */
START_TEST(test_late_copies) {
    open_transfer(_i);
    size_t bytes = (40 << 20) + 12345;
    unsigned char *p = pool_alloc(bytes + 64), *dst = p + 16;
    memset(p, 0x77, bytes + 64);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, 0, dst, bytes), GPU_OK);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    late.wanted = 1;
    ck_assert_int_eq(transfer_down(transfer, &queue, dst, mem, 0, bytes), GPU_FAILED);
    ck_assert_ptr_nonnull(late.pages);
    access_guard_close(&guard);
    ck_assert(are_all(p, 16, 0x77) && are_all(dst + bytes, 48, 0x77)); /* neighbours */
    memset(dst, 0x11, bytes);                                          /* GMP's result */
    ck_assert_int_eq(real->read(late.queue, late.pages, late.src, late.offset, late.bytes), 0);
    ck_assert_int_eq(gpu_finish(&queue), GPU_OK);
    ck_assert_msg(are_all(dst, bytes, 0x11), "written late");
    late.wanted = 0;
    ck_assert_int_ne(transfer_down(transfer, &queue, dst, mem, 0, bytes), GPU_OK);
    ck_assert(dst[5000] == 0x11);
    pool_free(p);
    close_transfer();
}
END_TEST

/* If a copy fails but the library has waited for its end, the memory is released as usual. So
 * access_guard_close must not replace its pages. */
START_TEST(test_failed_copies) {
    open_transfer(_i);
    unsigned char *p = pool_alloc(1 << 20);
    memset(p, 0x22, 1 << 20);
    late.wanted = 1;
    ck_assert_int_eq(transfer_down(transfer, &queue, p, mem, 0, 1 << 20), GPU_FAILED);
    transfer_release(transfer);
    access_guard_close(&guard);
    ck_assert(are_all(p, 1 << 20, 0x22));
    pool_free(p);
    close_transfer();
}
END_TEST

int main(void) {
    testing_random();
    find_devices();
    return testing_main(
        "pinned", 120,
        TESTS(LOOP(test_direct_copies, device_count), LOOP(test_short_copies, device_count),
              LOOP(test_refused_locks, device_count), LOOP(test_locks_after_fork, device_count),
              LOOP(test_locks_of_new_pages, device_count), LOOP(test_late_copies, device_count),
              LOOP(test_failed_copies, device_count)));
}
