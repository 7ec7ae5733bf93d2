/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests copies of all sizes between host and device: the copied bytes, and the bytes around them,
 * which must not change. Also tests requests to a caller in another process. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lib/transfer/far.h"
#include "lib/transfer/staging.h"
#include "lib/transfer/transfer.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

static struct gpu_device dev;
static struct gpu_queue queue;
static struct transfer *transfer;
static struct access_guard guard;
static struct lease lease = {.guard = &guard};

static void setup(int i) {
    ck_assert_msg(open_device(i, &dev) == GPU_OK, "%s", gpu_error_text());
    ck_assert_int_eq(gpu_queue_open(&dev, &queue), GPU_OK);
    ck_assert_int_eq(transfer_open(&dev, &lease, &transfer), GPU_OK);
}

static void teardown(void) {
    transfer_close(transfer);
    gpu_queue_close(&queue);
    gpu_close(&dev);
}

static int is_guard(const unsigned char *x) {
    for (int i = 0; i < GUARD; i++)
        if (x[i] != GUARD_BYTE)
            return 0;
    return 1;
}

/* Uploads data to `offset` and downloads them again. The host addresses are odd. */
static void round_trip(gpu_mem mem, size_t offset, size_t bytes) {
    unsigned char *src = malloc(bytes + 1), *dst = malloc(bytes + 2 * GUARD + 3), *copy = dst + 3;
    testing_fill(src + 1, bytes, (unsigned)bytes);
    memset(copy, GUARD_BYTE, bytes + 2 * GUARD);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, offset, src + 1, bytes), GPU_OK);
    memset(src + 1, 0, bytes); /* transfer_up has returned, so the caller may overwrite the data */
    ck_assert_int_eq(transfer_down(transfer, &queue, copy + GUARD, mem, offset, bytes), GPU_OK);
    testing_fill(src + 1, bytes, (unsigned)bytes);
    ck_assert_msg(memcmp(src + 1, copy + GUARD, bytes) == 0, "%zu bytes at %zu", bytes, offset);
    ck_assert(is_guard(copy) && is_guard(copy + GUARD + bytes));
    free(src);
    free(dst);
}

START_TEST(sizes_round_borders) {
    static const size_t borders[] = {0,       8,       4096,    256 << 10, 512 << 10,
                                     1 << 20, 2 << 20, 4 << 20, 16 << 20,  33 << 20};
    gpu_mem mem;
    setup(_i);
    ck_assert_int_eq(gpu_alloc(&dev, (34 << 20), &mem), GPU_OK);
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
        for (int d = borders[k] == 0 ? 0 : -1; d <= 1; d++) {
            for (unsigned contexts = 1; contexts <= 2; contexts++) {
                transfer_share(transfer, contexts);
                round_trip(mem, k % 3 * 4, borders[k] + d);
            }
        }
    }
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

/* Copies through the staging ring are short up to 512 KiB, or 256 KiB beside other contexts. */
START_TEST(short_copies) {
    static char host[1];
    setup(_i);
    for (unsigned contexts = 1; contexts <= 2; contexts++) {
        const size_t most = (size_t)(contexts == 1 ? 512 : 256) << 10;
        transfer_share(transfer, contexts);
        ck_assert(transfer_is_short(transfer, host, most));
        ck_assert(!transfer_is_short(transfer, host, most + 1));
    }
    teardown();
}
END_TEST

START_TEST(random_sizes) {
    gpu_mem mem;
    setup(_i);
    ck_assert_int_eq(gpu_alloc(&dev, (9 << 20), &mem), GPU_OK);
    for (int k = 0; k < 60; k++)
        round_trip(mem, testing_below(1000), testing_size(8 << 20));
    gpu_release(&dev, mem);
    teardown();
}
END_TEST

/* Checks that copies keep the queue's order. Downloads PARTS parts of one buffer, the last part
 * first. Just before each later download, the part's first ZEROED bytes are set to 0, so the
 * downloaded part must have zeros there. */
enum { PARTS = TRANSFER_DOWNLOADS, PART_BYTES = 3 << 20, ZEROED = 4096 };

static void begin_parts(gpu_mem mem, unsigned char *dst) {
    for (size_t k = PARTS; k-- > 0;) {
        if (k + 1 < PARTS)
            ck_assert_int_eq(gpu_zero(&queue, mem, k * PART_BYTES, ZEROED), GPU_OK);
        ck_assert_int_eq(transfer_begin_down(transfer, &queue, dst + k * PART_BYTES, mem,
                                             k * PART_BYTES, PART_BYTES - k * 1000),
                         GPU_OK);
    }
    ck_assert_int_eq(transfer_begin_down(transfer, &queue, dst, mem, 0, 8), GPU_FAILED);
}

static void check_parts(unsigned char *src, const unsigned char *dst) {
    for (size_t k = 0; k < PARTS; k++) {
        unsigned char *part = src + k * PART_BYTES;
        memset(part, 0, k + 1 < PARTS ? ZEROED : 0);
        ck_assert(memcmp(dst + k * PART_BYTES, part, PART_BYTES - k * 1000) == 0);
    }
}

START_TEST(several_downloads) {
    unsigned char *src = malloc(PART_BYTES * PARTS), *dst = malloc(PART_BYTES * PARTS);
    gpu_mem mem;
    setup(_i);
    ck_assert_int_eq(gpu_alloc(&dev, PART_BYTES * PARTS, &mem), GPU_OK);
    for (unsigned round = 0; round < 3; round++) {
        testing_fill(src, PART_BYTES * PARTS, round);
        ck_assert_int_eq(transfer_up(transfer, &queue, mem, 0, src, PART_BYTES * PARTS), GPU_OK);
        begin_parts(mem, dst);
        ck_assert_int_eq(transfer_end_down(transfer, &queue), GPU_OK);
        check_parts(src, dst);
    }
    begin_parts(mem, dst);
    ck_assert_int_eq(transfer_drain(transfer), GPU_OK); /* forgotten */
    round_trip(mem, 0, PART_BYTES);
    gpu_release(&dev, mem);
    teardown();
    free(src);
    free(dst);
}
END_TEST

START_TEST(order_in_the_queue) {
    enum { BYTES = 5 << 20 };
    gpu_mem mem;
    unsigned char *host = malloc(BYTES);
    setup(_i);
    ck_assert_int_eq(gpu_alloc(&dev, BYTES, &mem), GPU_OK);
    for (int k = 1; k < 8; k++) {
        memset(host, k, BYTES);
        ck_assert_int_eq(transfer_up(transfer, &queue, mem, 0, host, BYTES), GPU_OK);
        ck_assert_int_eq(gpu_zero(&queue, mem, 1000, BYTES - 2000), GPU_OK);
        ck_assert_int_eq(transfer_down(transfer, &queue, host, mem, 0, BYTES), GPU_OK);
        for (size_t i = 0; i < BYTES; i++)
            if (host[i] != (i < 1000 || i >= BYTES - 1000 ? k : 0))
                ck_abort_msg("round %d, byte %zu", k, i);
    }
    gpu_release(&dev, mem);
    free(host);
    teardown();
}
END_TEST

/* Checks a download to a caller in another process that copies slowly. The caller takes a tenth of
 * a second for each chunk, but more than two seconds for all of them. Two seconds is the most that
 * the engine waits for one chunk. */
enum { SLOW_BYTES = 8 << 20, SLOW_CHUNKS = SLOW_BYTES / (256 << 10), SLOW_US = 3000000 };

static struct far_block block;

static bool is_gone(void *of) {
    (void)of;
    return false;
}

/* Copies the chunks of one download from the staging memory at `ring`, as the process of the caller
 * does, but slowly. */
static void *copy_slowly(void *ring) {
    while (atomic_load(&block.asked) == 0)
        usleep(1000);
    const struct far_upcall *w = &block.upcall;
    struct staging_memory memory = {.host = ring, .mark = block.mark};
    struct staging_chunks c = {.memory = &memory,
                               .host = (char *)((uintptr_t)w->address & ~FAR_BIT),
                               .bytes = w->bytes,
                               .chunk = w->chunk,
                               .count = (w->bytes + w->chunk - 1) / w->chunk,
                               .place = w->place,
                               .is_down = true,
                               .progress = &block.progress};
    ck_assert_int_eq(c.count, SLOW_CHUNKS);
    while (!staging_chunks_are_over(&c)) {
        usleep(SLOW_US / SLOW_CHUNKS);
        staging_chunks_copy_one(&c, 0);
    }
    atomic_store(&block.granted, 1);
    return NULL;
}

START_TEST(slow_caller) {
    struct far_caller caller = {
        .block = &block, .is_gone = is_gone, .mutex = PTHREAD_MUTEX_INITIALIZER};
    unsigned char *src = malloc(SLOW_BYTES), *dst = calloc(1, SLOW_BYTES);
    void *ring;
    gpu_mem mem;
    pthread_t thread;
    setup(_i);
    testing_fill(src, SLOW_BYTES, 1);
    ck_assert_int_eq(gpu_alloc(&dev, SLOW_BYTES, &mem), GPU_OK);
    ck_assert_int_eq(transfer_up(transfer, &queue, mem, 0, src, SLOW_BYTES), GPU_OK);
    ck_assert_int_eq(dev.backend->host_alloc(dev.impl, STAGING_BYTES, &ring), GPU_OK);
    ck_assert_int_eq(staging_open_far(&dev, ring, block.mark, &caller.ring), GPU_OK);
    ck_assert(far_set(&caller, 0));
    ck_assert_int_eq(pthread_create(&thread, NULL, copy_slowly, ring), 0);
    void *far = (void *)((uintptr_t)dst | FAR_BIT);
    ck_assert_int_eq(transfer_down(transfer, &queue, far, mem, 0, SLOW_BYTES), GPU_OK);
    pthread_join(thread, NULL);
    far_set(NULL, 0);
    ck_assert(memcmp(dst, src, SLOW_BYTES) == 0);
    staging_close(caller.ring);
    dev.backend->host_release(dev.impl, ring);
    gpu_release(&dev, mem);
    teardown();
    free(src);
    free(dst);
}
END_TEST

/* Checks requests to a caller that answers 20 ms later, long after the engine has stopped spinning.
 * The caller's job may access only the array `named`. */
enum { NAMED = 1000, LATE_US = 20000 };

static uint64_t named[NAMED];
static const uint64_t modulus = ((uint64_t)1 << 60) + 33;

static bool allows(void *of, const void *p, size_t bytes, bool writes) {
    (void)of;
    (void)writes;
    return (const char *)p >= (char *)named && bytes <= sizeof named &&
           (const char *)p + bytes <= (char *)(named + NAMED);
}

static uint64_t sum_of(const uint64_t *x, size_t n, uint64_t m) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = (sum + x[i] % m) % m;
    return sum;
}

/* Answers requests until the job has ended or the caller refuses one. */
static void *answer_late(void *job) {
    enum gpu_served served;
    do {
        usleep(LATE_US);
        served = far_serve(job, 1000000);
        ck_assert_int_ne(served, GPU_SERVED_LEFT);
    } while (served != GPU_SERVED_ALL && !block.is_refused);
    return NULL;
}

START_TEST(late_caller) {
    struct far_caller caller = {
        .block = &block, .is_gone = is_gone, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct far_job job = {.block = &block, .lease = &lease, .allows = allows, .residue = sum_of};
    const bool asks_too_much = _i;
    uint64_t residue = 0;
    pthread_t thread;
    lease_begin(&lease, false);
    far_prepare(&job, 60);
    testing_fill((unsigned char *)named, sizeof named, 1);
    ck_assert(far_set(&caller, 0));
    ck_assert_int_eq(pthread_create(&thread, NULL, answer_late, &job), 0);
    ck_assert(far_residue(&caller, &residue, named, NAMED, modulus));
    ck_assert_uint_eq(residue, sum_of(named, NAMED, modulus));
    const uint64_t *copy = far_enter(&caller, (void *)((uintptr_t)named | FAR_BIT), sizeof named);
    ck_assert(copy && copy != named && memcmp(copy, named, sizeof named) == 0);
    far_leave();
    if (asks_too_much) {
        ck_assert(!far_residue(&caller, &residue, named + 1, NAMED, modulus));
        ck_assert(!far_keep(&caller)); /* the caller has left the job */
    } else {
        ck_assert(far_write(&caller, (uintptr_t)(named + 1) | FAR_BIT, &residue, sizeof residue));
        ck_assert_uint_eq(named[1], residue);
        ck_assert(far_keep(&caller) && job.keeps);
        far_tell_end(&caller);
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(job.has_ended, !asks_too_much);
    far_set(NULL, 0);
    ck_assert(lease_end(&lease));
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, sizes_round_borders, 0, device_count);
    tcase_add_loop_test(tests, short_copies, 0, device_count);
    tcase_add_loop_test(tests, random_sizes, 0, device_count);
    tcase_add_loop_test(tests, several_downloads, 0, device_count);
    tcase_add_loop_test(tests, order_in_the_queue, 0, device_count);
    tcase_add_loop_test(tests, slow_caller, 0, device_count);
    tcase_add_loop_test(tests, late_caller, 0, 2); /* uses no device */
}

int main(void) {
    return run_on_devices("transfer", 120, add_tests);
}
