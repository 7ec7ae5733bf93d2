/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by the method of Schoenhage and Strassen: the launches of a plan. */
#include "lib/multiply/ssa.h"
#include "kernels/common/carry.h"
#include "kernels/sums/redundant.h"
#include "kernels/ssa/ssa.h"
#include "lib/device/uploads.h"
#include "lib/multiply/ntt.h"
#include "lib/device/tables.h"

enum {
    SELFTEST_BYTES = 32 << 20
}; /* what known answers take at most (lib/selftest/selftest_ssa.c) */

static enum gpu_program point_program(const struct ssa_plan *plan) {
    return (enum gpu_program)(GPU_PROGRAM_ssa_point_8 + (plan->log_p - SSA_MIN_LOG_P));
}

/* The levels of the passes behind pass i. */
static unsigned levels_below(const struct ssa_plan *plan, unsigned i) {
    unsigned levels = 0;
    for (unsigned k = i + 1; k < plan->passes; k++)
        levels += plan->log_r[k];
    return levels;
}

static int launch_pass(struct context *s, const struct ssa_plan *plan, unsigned i,
                       const char *kernel, const struct gpu_arg *args, unsigned nargs) {
    unsigned log_r = plan->log_r[i];
    uint64_t groups = (uint64_t)1 << (plan->log_n + plan->log_p - SSA_LOG_TILE(log_r));
    return number_launch(s, (enum gpu_program)(GPU_PROGRAM_ssa_3 + (log_r - 3)), kernel, groups, 1,
                         1u << SSA_LOG_THREADS(log_r), args, nargs);
}

static void swap(gpu_mem *a, gpu_mem *b) {
    gpu_mem t = *a;
    *a = *b;
    *b = t;
}

/* Pass i, from one buffer to the other. */
static int pass(struct context *s, const struct ssa_plan *plan, unsigned i, gpu_mem *data,
                gpu_mem *other, int inverse) {
    struct gpu_arg args[] = {gpu_arg_mem(*other),
                             gpu_arg_mem(*data),
                             gpu_arg_u32(plan->log_p),
                             gpu_arg_u32(levels_below(plan, i)),
                             gpu_arg_u32(i > 0 ? plan->log_r[i - 1] : 0),
                             gpu_arg_u32((uint32_t)inverse)};
    swap(data, other);
    return launch_pass(s, plan, i, "ssa_pass", args, sizeof args / sizeof *args);
}

int ssa_transform(struct context *s, const struct ssa_plan *plan, gpu_mem *data, gpu_mem *other,
                  int inverse) {
    int status = GPU_OK;
    for (unsigned i = 0; i < plan->passes && status == GPU_OK; i++)
        status = pass(s, plan, inverse ? plan->passes - 1 - i : i, data, other, inverse);
    return status;
}

int ssa_forward(struct context *s, const struct ssa_plan *plan, gpu_mem *data, gpu_mem *other,
                struct number x) {
    struct gpu_arg args[] = {
        gpu_arg_mem(*data),     gpu_arg_u32(plan->log_p), gpu_arg_u32(levels_below(plan, 0)),
        gpu_arg_mem(x.mem),     gpu_arg_u64(x.at),        gpu_arg_u64(x.words),
        gpu_arg_u32(plan->bits)};
    const char *kernel = plan->ring == SSA_PLUS ? "ssa_weighted" : "ssa_first";
    int status = uploads_wait(s, x);
    if (status == GPU_OK)
        status = launch_pass(s, plan, 0, kernel, args, sizeof args / sizeof *args);
    for (unsigned i = 1; i < plan->passes && status == GPU_OK; i++)
        status = pass(s, plan, i, data, other, 0);
    return status;
}

int ssa_multiply(struct context *s, const struct ssa_plan *plan, gpu_mem x, gpu_mem y) {
    int is_square = x.h == y.h;
    gpu_mem tables;
    int status = tables_get(s, &tables);
    struct gpu_arg args[] = {gpu_arg_mem(x), gpu_arg_mem(is_square ? tables : y),
                             gpu_arg_mem(tables)};
    return status == GPU_OK
               ? number_launch(s, point_program(plan), is_square ? "ssa_square" : "ssa_multiply",
                               (uint64_t)1 << plan->log_n, 1,
                               1u << (plan->log_p - SSA_LOG_VALUES(plan->log_p)), args,
                               is_square ? 2 : 3)
               : status;
}

/* The coefficients as integers. */
static int integers(struct context *s, const struct ssa_plan *plan, gpu_mem data) {
    struct gpu_arg args[] = {gpu_arg_mem(data), gpu_arg_u32(plan->log_n),
                             gpu_arg_u32(plan->ring == SSA_PLUS), gpu_arg_u32(plan->top),
                             gpu_arg_u32(plan->bottom)};
    return NUMBER_LAUNCH(s, point_program(plan), "ssa_integer", (uint64_t)1 << plan->log_n, 1,
                         1u << (plan->log_p - SSA_LOG_RUN), args);
}

int ssa_back(struct context *s, const struct ssa_plan *plan, gpu_mem *data, gpu_mem *other,
             struct number r) {
    const unsigned chunk = SPAN * (CARRY_THREADS - 1);
    uint64_t groups = (r.words + chunk - 1) / chunk;
    gpu_mem flags;
    int status = number_flags(s, groups, &flags);
    if (status == GPU_OK)
        status = ssa_transform(s, plan, data, other, 1);
    if (status == GPU_OK)
        status = integers(s, plan, *data);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),       gpu_arg_u64(r.at),
                             gpu_arg_u64(r.words),     gpu_arg_mem(*data),
                             gpu_arg_u32(plan->log_n), gpu_arg_u32(plan->log_p),
                             gpu_arg_u32(plan->bits),  gpu_arg_u32(DIGIT_BITS << plan->log_p),
                             gpu_arg_mem(flags)};
    status = NUMBER_LAUNCH(s, GPU_PROGRAM_ssa_sum, "ssa_sum", groups, 1, CARRY_THREADS, args);
    return status == GPU_OK ? number_carries(s, r, groups, chunk, 0) : status;
}

int ssa_mul(struct context *s, const struct ssa_plan *plan, struct number r, struct number u,
            struct number v) {
    int is_square = number_same(u, v);
    size_t bytes = (size_t)ssa_plan_bytes(plan);
    gpu_mem work, other, kept = {0};
    int status = context_buffer(s, SLOT_WORK, bytes, &work);
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
    return status == GPU_OK ? ssa_back(s, plan, &work, &other, r) : status;
}

int ssa_plan(const struct context *s, struct ssa_plan *plan, uint64_t un, uint64_t vn) {
    uint64_t room = ntt_room(s, 2 * (un + vn));
    return room >= SELFTEST_BYTES && ssa_plan_init(plan, un, vn, room, s->dev.caps.max_alloc)
               ? GPU_OK
               : GPU_ABSENT;
}

int ssa_plan_mulmod(const struct context *s, struct ssa_plan *plan, uint64_t words,
                    enum ssa_ring ring, uint64_t operands) {
    uint64_t room = ntt_room(s, 2 * words + operands);
    return room >= SELFTEST_BYTES && ssa_plan_ring(plan, words, ring, room, s->dev.caps.max_alloc)
               ? GPU_OK
               : GPU_ABSENT;
}
