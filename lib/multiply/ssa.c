/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products by the method of Schoenhage and Strassen: launches the kernels that a plan
 * (struct ssa_plan) requires. */
#include "lib/multiply/ssa.h"

#include "kernels/common/carry.h"
#include "kernels/ssa/ssa.h"
#include "kernels/sums/redundant.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/device/uploads.h"
#include "lib/multiply/ntt.h"

/* Bytes that suffice for the known-answer test (lib/selftest/selftest_products.c). */
enum { SELFTEST_BYTES = 32 << 20 };

/* Returns the number of levels of all passes after pass i. */
static unsigned levels_below(const struct ssa_plan *plan, unsigned i) {
    unsigned levels = 0;
    for (unsigned k = i + 1; k < plan->passes; k++)
        levels += plan->log_r[k];
    return levels;
}

/* groups_of_pass returns the size of the launch of pass i. groups_of_points returns the size of a
 * launch with a work-group for each coefficient. */
static struct launch_groups groups_of_pass(const struct ssa_plan *plan, unsigned i) {
    return launch_row((uint64_t)1 << (plan->log_n + plan->log_p - SSA_LOG_TILE(plan->log_r[i])));
}

static struct launch_groups groups_of_points(const struct ssa_plan *plan) {
    return launch_row((uint64_t)1 << plan->log_n);
}

static void swap(gpu_mem *a, gpu_mem *b) {
    gpu_mem t = *a;
    *a = *b;
    *b = t;
}

/* Queues pass i, which reads buffer *data and writes buffer *other. Swaps the two buffers, so that
 * *data has the result. */
static enum gpu_status pass(struct context *s, const struct ssa_plan *plan, unsigned i,
                            gpu_mem *data, gpu_mem *other, int inverse) {
    swap(data, other);
    return launch_ssa_pass(s, plan->log_r[i], groups_of_pass(plan, i), *data, *other, plan->log_p,
                           levels_below(plan, i), i > 0 ? plan->log_r[i - 1] : 0,
                           (uint32_t)inverse);
}

enum gpu_status ssa_transform(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                              gpu_mem *other, int inverse) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < plan->passes && status == GPU_OK; i++)
        status = pass(s, plan, inverse ? plan->passes - 1 - i : i, data, other, inverse);
    return status;
}

enum gpu_status ssa_forward(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number x) {
    enum gpu_status status = uploads_wait(s, x);
    if (status == GPU_OK)
        status = (plan->ring == SSA_PLUS ? launch_ssa_weighted : launch_ssa_first)(
            s, plan->log_r[0], groups_of_pass(plan, 0), *data, plan->log_p, levels_below(plan, 0),
            x.mem, x.at, x.words, plan->bits);
    for (unsigned i = 1; i < plan->passes && status == GPU_OK; i++)
        status = pass(s, plan, i, data, other, 0);
    return status;
}

enum gpu_status ssa_multiply(struct context *s, const struct ssa_plan *plan, gpu_mem x, gpu_mem y) {
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    if (status != GPU_OK)
        return status;
    if (x.h == y.h)
        return launch_ssa_square(s, plan->log_p, groups_of_points(plan), x, tables);
    return launch_ssa_multiply(s, plan->log_p, groups_of_points(plan), x, y, tables);
}

/* Queues a kernel that reduces each coefficient modulo B^P + 1 in place, to an integer with digits
 * from 0 to B - 1. B is 2^24, and a coefficient has P digits. */
static enum gpu_status integers(struct context *s, const struct ssa_plan *plan, gpu_mem data) {
    return launch_ssa_integer(s, plan->log_p, groups_of_points(plan), data, plan->log_n,
                              plan->ring == SSA_PLUS, plan->top, plan->bottom);
}

enum gpu_status ssa_inverse(struct context *s, const struct ssa_plan *plan, gpu_mem *data,
                            gpu_mem *other, struct number r) {
    const unsigned chunk = CARRY_CHUNK_ABOVE;
    uint64_t groups = ceil_div(r.words, chunk);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups, &flags);
    if (status == GPU_OK)
        status = ssa_transform(s, plan, data, other, 1);
    if (status == GPU_OK)
        status = integers(s, plan, *data);
    if (status == GPU_OK)
        status = launch_ssa_sum(s, launch_row(groups), r.mem, r.at, r.words, *data, plan->log_n,
                                plan->log_p, plan->bits, DIGIT_BITS << plan->log_p, flags);
    return status == GPU_OK ? number_carries(s, r, groups, chunk) : status;
}

enum gpu_status ssa_mul(struct context *s, const struct ssa_plan *plan, struct number r,
                        struct number u, struct number v) {
    int is_square = number_same(u, v);
    size_t bytes = (size_t)ssa_plan_bytes(plan);
    gpu_mem work, other, kept = {0};
    enum gpu_status status = context_buffer(s, SLOT_WORK, bytes, &work);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_WINDOW, bytes, &other);
    if (status == GPU_OK && !is_square)
        status = context_buffer(s, SLOT_KEPT, bytes, &kept);
    if (status == GPU_OK && !is_square)
        status = ssa_forward(s, plan, &kept, &other, v);
    if (status == GPU_OK)
        status = ssa_forward(s, plan, &work, &other, u);
    if (status == GPU_OK)
        status = ssa_multiply(s, plan, work, is_square ? work : kept);
    return status == GPU_OK ? ssa_inverse(s, plan, &work, &other, r) : status;
}

bool ssa_plan(const struct context *s, struct ssa_plan *plan, uint64_t un, uint64_t vn) {
    uint64_t room = ntt_room(s, 2 * (un + vn));
    return room >= SELFTEST_BYTES && ssa_plan_init(plan, un, vn, room, s->dev.caps.max_alloc);
}

bool ssa_plan_mulmod(const struct context *s, struct ssa_plan *plan, uint64_t words,
                     enum ssa_modulus ring, uint64_t operands) {
    uint64_t room = ntt_room(s, 2 * words + operands);
    return room >= SELFTEST_BYTES &&
           ssa_plan_init_mulmod(plan, words, ring, room, s->dev.caps.max_alloc);
}
