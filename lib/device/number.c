/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device: launches, carries between work-groups, sums. */
#include "lib/device/number.h"
#include "lib/device/answers.h"
#include "lib/process/executor.h"
#include "lib/transfer/transfer.h"
#include "kernels/common/carry.h"

int number_in_slot(struct context *s, enum context_slot slot, uint64_t words, struct number *x) {
    x->at = 0;
    x->words = words;
    return context_buffer(s, slot, number_bytes(words), &x->mem);
}

int number_launch(struct context *s, enum gpu_program program, const char *kernel,
                  uint64_t groups_x, unsigned groups_y, unsigned threads,
                  const struct gpu_arg *args, unsigned nargs) {
    const struct gpu_backend *backend = s->dev.backend;
    gpu_kernel_impl *k;
    int status = backend->kernel(s->dev.impl, program, kernel, &k);
    executor_progress(); /* a first call builds */
    if (status == GPU_OK)
        status =
            backend->launch(s->queue.impl, k, (unsigned)groups_x, groups_y, threads, args, nargs);
    return status;
}

int number_flags(struct context *s, uint64_t groups, gpu_mem *flags) {
    return context_buffer(s, SLOT_FLAGS, (size_t)(groups + 1) * sizeof(uint32_t), flags);
}

int number_carries(struct context *s, struct number r, uint64_t groups, unsigned chunk,
                   unsigned carry_in) {
    gpu_mem flags = s->slot[SLOT_FLAGS].mem;
    struct gpu_arg args[] = {gpu_arg_mem(r.mem), gpu_arg_u64(r.at),  gpu_arg_u64(r.words),
                             gpu_arg_u32(chunk), gpu_arg_mem(flags), gpu_arg_u32(carry_in)};
    return NUMBER_LAUNCH(s, GPU_PROGRAM_carry, "carry_add", groups, 1, CARRY_THREADS, args);
}

int number_carries_mulmod(struct context *s, struct number r, uint64_t groups, unsigned chunk,
                           uint64_t n, int plus) {
    gpu_mem flags = s->slot[SLOT_FLAGS].mem, answers;
    int status = answers_get(s, &answers);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {
        gpu_arg_mem(r.mem),          gpu_arg_u64(r.at),    gpu_arg_u64(r.words),
        gpu_arg_u32(chunk),          gpu_arg_mem(flags),   gpu_arg_u64(n),
        gpu_arg_u32((uint32_t)plus), gpu_arg_mem(answers), gpu_arg_u64(ANSWER_RING)};
    return NUMBER_LAUNCH(s, GPU_PROGRAM_carry, "carry_ring", groups, 1, CARRY_THREADS, args);
}

/* What leaves the last of the chunks: 0 or 1, or the device has erred. */
static int carry_out(struct context *s, uint64_t groups, uint32_t *carry) {
    int status = transfer_down(s->transfer, &s->queue, carry, s->slot[SLOT_FLAGS].mem,
                               groups * sizeof *carry, sizeof *carry);
    return status == GPU_OK && *carry > 1 ? GPU_FAILED : status;
}

int number_add(struct context *s, struct number r, struct number u, struct number v, int subtract,
               uint32_t *carry) {
    const unsigned chunk = SPAN * CARRY_THREADS;
    uint64_t groups = (u.words + chunk - 1) / chunk;
    gpu_mem flags;
    int status = number_flags(s, groups, &flags);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {
        gpu_arg_mem(r.mem), gpu_arg_u64(r.at),    gpu_arg_mem(u.mem),
        gpu_arg_u64(u.at),  gpu_arg_u64(u.words), gpu_arg_mem(v.mem),
        gpu_arg_u64(v.at),  gpu_arg_u64(v.words), gpu_arg_u32(subtract ? ~0u : 0u),
        gpu_arg_mem(flags)};
    status = NUMBER_LAUNCH(s, GPU_PROGRAM_addsub, "addsub", groups, 1, CARRY_THREADS, args);
    if (status == GPU_OK)
        status = number_carries(s, r, groups, chunk, subtract ? 1 : 0);
    if (status == GPU_OK && carry) {
        status = carry_out(s, groups, carry);
        if (subtract)
            *carry ^= 1; /* u + ~v + 1 carries where nothing is borrowed */
    }
    return status;
}

int number_mul_1(struct context *s, struct number r, struct number u, uint64_t v, struct number w,
                 int subtract) {
    const unsigned chunk = SPAN * CARRY_THREADS;
    uint64_t groups = (r.words + chunk - 1) / chunk;
    gpu_mem flags;
    int status = number_flags(s, groups, &flags);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),
                             gpu_arg_u64(r.at),
                             gpu_arg_u64(r.words),
                             gpu_arg_mem(u.mem),
                             gpu_arg_u64(u.at),
                             gpu_arg_u64(u.words),
                             gpu_arg_mem(w.mem),
                             gpu_arg_u64(w.at),
                             gpu_arg_u64(w.words),
                             gpu_arg_u64(v),
                             gpu_arg_u32(subtract ? ~0u : 0u),
                             gpu_arg_mem(flags)};
    status = NUMBER_LAUNCH(s, GPU_PROGRAM_mul_1, "mul_1", groups, 1, CARRY_THREADS, args);
    return status == GPU_OK ? number_carries(s, r, groups, chunk, 0) : status;
}
