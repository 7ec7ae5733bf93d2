/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the memory of the pool when a server shares and page-locks it, also after fork. */
#define _GNU_SOURCE 1 /* memfd_create */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/memory/pinned.h"
#include "lib/memory/reclaim.h"
#include "lib/memory/segments.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"

enum { BYTES = 9 << 20 }; /* bytes of a copy, which are enough for the server to lock the segment */

/* ---- a memory file that replaces the server's */

bool __wrap_gpu_served_map(void *at, size_t offset, size_t bytes, size_t most);
void __wrap_gpu_served_unmap(void *at);
bool __wrap_gpu_served_keep(void *at, size_t bytes);
void __wrap_gpu_served_part(bool tells);

static int file = -1;

static bool map(void *at, size_t bytes, int sharing) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, sharing | MAP_FIXED, file,
                (off_t)range_offset(at)) == at;
}

bool __wrap_gpu_served_map(void *at, size_t offset, size_t bytes, size_t most) {
    ck_assert(offset == range_offset(at) && offset + bytes <= most);
    if (file < 0)
        file = memfd_create("server", MFD_CLOEXEC);
    return ftruncate(file, (off_t)most) == 0 && map(at, bytes, MAP_SHARED);
}

void __wrap_gpu_served_unmap(void *at) {
    madvise(at, SEGMENT_BYTES, MADV_REMOVE);
}

bool __wrap_gpu_served_keep(void *at, size_t bytes) {
    return map(at, bytes, MAP_PRIVATE);
}

void __wrap_gpu_served_part(bool tells) {
    (void)tells;
    close(file);
    file = -1;
}

/* ---- functions that replace the server's device */

static int locks, unlocks;

static bool is_locked; /* true after the server has answered the request to lock */
static enum gpu_status its_answer = GPU_OK;

static enum gpu_status begin_lock(gpu_device_impl *dev, void *host, size_t bytes,
                                  struct gpu_sent *sent) {
    (void)dev, (void)host, (void)bytes;
    locks++;
    *sent = (struct gpu_sent){.channel = 1};
    return GPU_OK;
}

static bool has_ended(gpu_device_impl *dev, struct gpu_sent *sent, enum gpu_status *status) {
    (void)dev;
    *status = its_answer;
    sent->channel = is_locked ? 0 : sent->channel;
    return is_locked;
}

static enum gpu_status await(gpu_device_impl *dev, struct gpu_sent *sent) {
    (void)dev;
    sent->channel = 0;
    return its_answer;
}

static void unlock(gpu_device_impl *dev, void *host) {
    (void)dev, (void)host;
    unlocks++;
}

static const struct gpu_backend served = {.name = "cuda",
                                          .is_served = true,
                                          .begin_register = begin_lock,
                                          .has_ended = has_ended,
                                          .await = await,
                                          .host_unregister = unlock};
static const struct gpu_device its = {.backend = &served};

/* Forks, then changes a byte in the parent. The child must see the byte as it was at the fork. */
static void fork_once(unsigned char *p) {
    int ends[2], status;
    char byte = 0;
    unsigned char before = p[5000];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(read(ends[0], &byte, 1) == 1 && p[5000] == before ? 42 : 1);
    p[5000]++;
    ck_assert_int_eq(write(ends[1], &byte, 1), 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    p[5000]--;
    close(ends[0]);
    close(ends[1]);
}

/* After a fork, the pool's memory must no longer be shared with the server, and must not be locked
 * again. */
START_TEST(test_fork) {
    open_with(4 * SEGMENT_BYTES);
    unsigned char *p = pool_alloc(BYTES), *right = malloc(BYTES);
    ck_assert(p && right && segments_are_shared(segments_index(p)));
    testing_fill(right, BYTES, 5);
    memcpy(p, right, BYTES);
    ck_assert(!pinned_reach(&its, p, BYTES) && !pinned_reach(&its, p, BYTES) && locks == 1);
    is_locked = true;
    ck_assert(pinned_reach(&its, p, BYTES) && pinned_reach(&its, p, BYTES) && locks == 1);
    ck_assert_uint_eq(ask().pinned, SEGMENT_BYTES);
    fork_once(p);
    ck_assert(!segments_are_shared(segments_index(p)) && memcmp(p, right, BYTES) == 0);
    ck_assert(!pinned_reach(&its, p, BYTES) && locks == 1);
    pinned_release_all(&its);
    ck_assert_int_eq(unlocks, 0);
    pool_free(p);
    free(right);
}
END_TEST

/* ---- memory that is returned to the system */

static bool release(size_t segment) {
    pinned_release(&its, segment);
    return !segments_pinned(segment);
}

/* Frees a block while the library has not yet read the server's answer to a lock request. If the
 * server has locked the pages, the library must unlock them before it returns them to the system.
 * New pages must be locked again. */
START_TEST(test_return) {
    static const struct {
        bool is_answered;
        enum gpu_status answer;
    } cases[] = {{false, GPU_OK}, {true, GPU_OK}, {false, GPU_FAILED}, {true, GPU_FAILED}};
    open_with(4 * SEGMENT_BYTES);
    reclaim_set_unlock(release);
    unsigned char *p = pool_alloc(BYTES);
    ck_assert(p && !pinned_reach(&its, p, BYTES) && locks == 1);
    is_locked = cases[_i].is_answered;
    its_answer = cases[_i].answer;
    pool_free(p);
    reclaim_purge(0);
    ck_assert_uint_eq(ask().returned, SEGMENT_BYTES);
    ck_assert_int_eq(unlocks, its_answer == GPU_OK);
    ck_assert_ptr_eq(pool_alloc(BYTES), p);
    ck_assert(!pinned_reach(&its, p, BYTES) && locks == 2);
    pinned_release_all(&its);
    pool_free(p);
}
END_TEST

/* The library closes another device of the server while the server locks memory for the first
 * device. That must not affect the lock. */
START_TEST(test_another_closes) {
    const struct gpu_device other = {.backend = &served, .impl = (gpu_device_impl *)&its};
    open_with(4 * SEGMENT_BYTES);
    unsigned char *p = pool_alloc(BYTES);
    ck_assert(p && !pinned_reach(&its, p, BYTES) && locks == 1);
    if (_i == 1)
        fork_once(p);
    pinned_release_all(&other);
    is_locked = true;
    ck_assert(pinned_reach(&its, p, BYTES) == (_i == 0) && locks == 1);
    pool_free(p);
}
END_TEST

int main(void) {
    return testing_main("pinned_served", 4,
                        TESTS(ONCE(test_fork), LOOP(test_return, 4), LOOP(test_another_closes, 2)));
}
