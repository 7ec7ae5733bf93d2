/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Accesses the memory of a job's caller, which is a thread of this process or of another one
 * (lib/transfer/far.h). */
#include "lib/transfer/caller_memory.h"

#include <string.h>

#include "lib/memory/pinned.h"
#include "lib/memory/range.h"
#include "lib/transfer/far.h"

const void *caller_enter(struct lease *lease, const void *p, size_t bytes) {
    if (far_here())
        return far_enter(far_here(), p, bytes);
    return !lease || lease_enter(lease) ? p : NULL;
}

void *caller_enter_result(struct lease *lease, void *p, size_t bytes) {
    if (far_here())
        return far_is_address(p) ? NULL : (void *)far_enter(far_here(), p, bytes);
    return !lease || lease_enter_result(lease) ? p : NULL;
}

void caller_leave(struct lease *lease) {
    if (far_here())
        far_leave();
    else if (lease)
        lease_leave(lease);
}

enum gpu_status caller_refusal(struct lease *lease) {
    return !lease || (far_here() && far_here()->has_left) ? GPU_LEFT : lease_refusal(lease);
}

uint64_t caller_locate(void *p, size_t bytes) {
    struct far_caller *f = far_here();
    return far_is_address(p) ? (uintptr_t)p : f ? f->place(f->of, p, bytes) : 0;
}

bool caller_read(struct lease *lease, void *to, const void *from, size_t bytes) {
    const void *p = caller_enter(lease, from, bytes);
    if (!p)
        return false;
    memcpy(to, p, bytes);
    caller_leave(lease);
    return true;
}

bool caller_write(struct lease *lease, void *to, const void *from, size_t bytes) {
    const uint64_t place = caller_locate(to, bytes);
    if (place)
        return far_write(far_here(), place, from, bytes);
    void *p = caller_enter_result(lease, to, bytes);
    if (!p)
        return false;
    memcpy(p, from, bytes);
    caller_leave(lease);
    return true;
}

uint64_t caller_add(uint64_t *limb, uint64_t add) {
    uint64_t x = 0;
    caller_read(NULL, &x, limb, sizeof x);
    x += add;
    caller_write(NULL, limb, &x, sizeof x);
    return x < add;
}

static bool reaches_far(const void *p, size_t bytes) {
    const struct far_caller *f = far_here();
    return f && !far_is_address(p) && f->reaches(f->of, p, bytes);
}

bool caller_is_in_pool(const void *p, size_t bytes) {
    return reaches_far(p, bytes) || (!far_is_address(p) && range_owns(p));
}

bool caller_reaches(const struct gpu_device *dev, const void *p, size_t bytes) {
    return reaches_far(p, bytes) || (!far_is_address(p) && pinned_reach(dev, p, bytes));
}

bool caller_acquire(struct lease *lease, void *p, size_t bytes) {
    struct far_caller *f = far_here();
    if (!reaches_far(p, bytes))
        return lease_acquire(lease, p, bytes);
    const uint64_t place = f->place(f->of, p, bytes);
    return place == 0 || far_acquire(f, place, bytes);
}

bool caller_release(struct lease *lease) {
    struct far_caller *f = far_here();
    return (!f || far_release(f)) && lease_release(lease);
}
