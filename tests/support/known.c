/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shares the results of kernel self-tests between the tests of a program, which run in separate
 * processes: a kernel that one test has verified is not verified again.  The program is linked so
 * that context_learn and context_tell of lib/device/context.h are replaced. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/device/context.h"

void __real_context_learn(struct context *s);
void __real_context_tell(struct context *s);
void __wrap_context_learn(struct context *s);
void __wrap_context_tell(struct context *s);

/* The kernels that were verified on one device, in one form (for CPUs or GPUs).  An entry without a
 * backend is free. */
enum { MOST = 16 };
struct known {
    const struct gpu_backend *backend;
    char name[sizeof((struct gpu_caps *)0)->name];
    int simd;
    uint64_t words[GPU_KNOWN];
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

void __wrap_context_learn(struct context *s) {
    const struct known *k = known_of(&s->dev);
    for (int i = 0; k && i < GPU_KNOWN; i++)
        s->known[i] |= k->words[i];
    __real_context_learn(s);
}

void __wrap_context_tell(struct context *s) {
    struct known *k = known_of(&s->dev);
    for (int i = 0; k && i < GPU_KNOWN; i++)
        k->words[i] |= s->known[i];
    __real_context_tell(s);
}
