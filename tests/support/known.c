/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shares the results of kernel self-tests between the tests of a program, which run in separate
 * processes: a kernel that one test has verified is not verified again.  The program is linked so
 * that known_answer_ensure of lib/selftest/known_answer.h is replaced. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/selftest/known_answer.h"

enum gpu_status __real_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan);
enum gpu_status __wrap_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan);

/* The kernels that were verified on one device, in one form (for CPUs or GPUs).  An entry without a
 * backend is free. */
enum { MOST = 16 };
struct known {
    const struct gpu_backend *backend;
    char name[sizeof((struct gpu_caps *)0)->name];
    int simd;
    uint64_t words[CONTEXT_KNOWN];
};
static struct known *all;

static void __attribute__((constructor)) share(void) {
    all = mmap(NULL, MOST * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        abort();
}

/* Returns the entry of a device, or a new one; NULL if there are too many.  Needs no lock, because
 * tests run one after the other. */
static struct known *known_of(const struct gpu_device *dev) {
    for (struct known *k = all; k < all + MOST; k++) {
        if (!k->backend) {
            k->backend = dev->backend;
            memcpy(k->name, dev->caps.name, sizeof k->name);
            k->simd = dev->caps.simd;
        }
        if (k->backend == dev->backend && strcmp(k->name, dev->caps.name) == 0 &&
            k->simd == dev->caps.simd)
            return k;
    }
    return NULL;
}

enum gpu_status __wrap_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan) {
    struct known *k = known_of(&s->dev);
    const uint64_t bit = UINT64_C(1) << key % 64;
    if (k)
        s->known[key / 64] |= k->words[key / 64] & bit;
    const enum gpu_status status = __real_known_answer_ensure(s, key, n, run, plan);
    if (k && status == GPU_OK)
        k->words[key / 64] |= bit;
    return status;
}
