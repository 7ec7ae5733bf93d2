/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device: carries between work-groups, sums, products by a limb, quotients by a
 * word. */
#include "lib/device/number.h"

#include "kernels/common/carry_resolve.h"
#include "kernels/sums/divide_1.h"
#include "lib/base/ceil_div.h"
#include "lib/device/answers.h"
#include "lib/device/launch.h"
#include "lib/transfer/transfer.h"

enum gpu_status number_in_slot(struct context *s, enum context_slot slot, uint64_t words,
                               struct number *x) {
    x->at = 0;
    x->words = words;
    return context_buffer(s, slot, number_bytes(words), &x->mem);
}

enum gpu_status number_flags(struct context *s, uint64_t groups, gpu_mem *flags) {
    return context_buffer(s, SLOT_FLAGS, (size_t)(groups + 1) * sizeof(uint32_t), flags);
}

/* Returns true if kernels resolve the carries themselves: with OpenCL on NVIDIA's devices, which
 * are recognised by their matrix units. With CUDA, resolving them by a separate launch in a series
 * costs less. */
bool number_resolves(const struct context *s, uint64_t groups) {
    return groups > 1 && groups <= CARRY_SETTLED && s->dev.caps.matrix_units &&
           !s->dev.backend->series;
}

enum gpu_status number_resolve(struct context *s, uint64_t groups, gpu_mem *control,
                               uint32_t *resolves) {
    *control = s->slot[SLOT_FLAGS].mem;
    *resolves = number_resolves(s, groups);
    if (!*resolves)
        return GPU_OK;
    enum gpu_status status = context_buffer(s, SLOT_RESOLVE, sizeof(uint32_t), control);
    if (status != GPU_OK || s->slot[SLOT_RESOLVE].is_ready)
        return status;
    status = gpu_zero(&s->queue, *control, 0, sizeof(uint32_t));
    s->slot[SLOT_RESOLVE].is_ready = status == GPU_OK;
    return status;
}

enum gpu_status number_carries(struct context *s, struct number r, uint64_t groups,
                               unsigned chunk) {
    return launch_carry_add(s, launch_row(groups), r.mem, r.at, r.words, chunk,
                            s->slot[SLOT_FLAGS].mem);
}

enum gpu_status number_carries_mulmod(struct context *s, struct number r, uint64_t groups,
                                      unsigned chunk, uint64_t n, int plus) {
    gpu_mem flags = s->slot[SLOT_FLAGS].mem, answers;
    enum gpu_status status = answers_get(s, &answers);
    return status == GPU_OK
               ? launch_carry_mulmod(s, launch_row(groups), r.mem, r.at, r.words, chunk, flags, n,
                                     (uint32_t)plus, answers, s->mulmod_answer)
               : status;
}

/* Downloads the carry out of the last chunk. Any value but 0 or 1 is an error of the device. */
static enum gpu_status carry_out(struct context *s, uint64_t groups, uint32_t *carry) {
    enum gpu_status status = transfer_down(s->transfer, &s->queue, carry, s->slot[SLOT_FLAGS].mem,
                                           groups * sizeof *carry, sizeof *carry);
    return status == GPU_OK && *carry > 1 ? GPU_FAILED : status;
}

/* The temporary memory of a sum: a flag for each group, and the counter of finished groups.
 * `resolves` is 0 if a separate launch resolves the carries. */
struct sum {
    gpu_mem flags, control;
    uint32_t resolves;
};

static enum gpu_status prepare_sum(struct context *s, uint64_t groups, struct sum *sum) {
    enum gpu_status status = number_flags(s, groups, &sum->flags);
    return status == GPU_OK ? number_resolve(s, groups, &sum->control, &sum->resolves) : status;
}

enum gpu_status number_add_reserve(struct context *s, uint64_t words) {
    struct sum unused;
    return prepare_sum(s, ceil_div(words, CARRY_CHUNK), &unused);
}

enum gpu_status number_add(struct context *s, struct number r, struct number u, struct number v,
                           int subtract, uint32_t *carry) {
    const unsigned chunk = CARRY_CHUNK;
    uint64_t groups = ceil_div(u.words, chunk);
    struct sum sum;
    enum gpu_status status = prepare_sum(s, groups, &sum);
    if (status != GPU_OK)
        return status;
    status = launch_addsub(s, launch_row(groups), r.mem, r.at, u.mem, u.at, u.words, v.mem, v.at,
                           v.words, subtract ? ~0u : 0u, sum.flags, sum.control, sum.resolves);
    if (status == GPU_OK && groups > 1 && !sum.resolves)
        status = number_carries(s, r, groups, chunk);
    if (status == GPU_OK && carry) {
        status = carry_out(s, groups, carry);
        if (subtract)
            *carry ^= 1; /* u - v was computed as u + ~v + 1: a carry means no borrow */
    }
    return status;
}

enum gpu_status number_reduce_mersenne(struct context *s, struct number r, struct number q,
                                       struct number x, uint64_t p) {
    const uint64_t groups = ceil_div(r.words, CARRY_CHUNK);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups, &flags);
    if (status == GPU_OK)
        status = launch_mersenne_fold(s, launch_row(groups), r.mem, r.at, r.words, x.mem, x.at,
                                      x.words, p, flags);
    return status == GPU_OK ? launch_mersenne_carry(s, launch_row(groups), r.mem, r.at, x.mem, x.at,
                                                    x.words, p, q.mem, q.at, flags)
                            : status;
}

enum gpu_status number_ask_carry(struct context *s, uint64_t words, unsigned entry) {
    uint64_t groups = ceil_div(words, CARRY_CHUNK);
    s->answers.host[entry] = 0;
    return gpu_read(&s->queue, &s->answers.host[entry], s->slot[SLOT_FLAGS].mem,
                    groups * sizeof(uint32_t), sizeof(uint32_t));
}

enum gpu_status number_mul_1(struct context *s, struct number r, struct number u, uint64_t v,
                             struct number w, int subtract) {
    const unsigned chunk = CARRY_CHUNK;
    uint64_t groups = ceil_div(r.words, chunk);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups, &flags);
    if (status != GPU_OK)
        return status;
    status = launch_mul_1(s, launch_row(groups), r.mem, r.at, r.words, u.mem, u.at, u.words, w.mem,
                          w.at, w.words, v, subtract ? ~0u : 0u, flags);
    return status == GPU_OK ? number_carries(s, r, groups, chunk) : status;
}

/* Returns 2^(32 words) modulo d. */
static uint32_t power_of_words(uint64_t words, uint32_t d) {
    uint64_t power = 1, x = (UINT64_C(1) << 32) % d;
    for (; words > 0; words /= 2, x = x * x % d)
        if (words % 2 == 1)
            power = power * x % d;
    return (uint32_t)power;
}

enum gpu_status number_divide_1(struct context *s, struct number r, struct number u, uint32_t d) {
    const uint64_t groups = ceil_div(u.words, DIVIDE_1_CHUNK);
    const uint64_t each = ceil_div(groups, DIVIDE_1_THREADS);
    const uint32_t v = (uint32_t)(UINT64_MAX / d - (UINT64_C(1) << 32));
    const uint32_t power = power_of_words(DIVIDE_1_WORDS, d);
    gpu_mem remainder;
    enum gpu_status status = number_flags(s, groups, &remainder);
    if (status == GPU_OK)
        status = launch_divide_1_chunks(s, launch_row(groups), remainder, u.mem, u.at, u.words,
                                        power, d, v);
    if (status == GPU_OK)
        status = launch_divide_1_scan(s, launch_row(1), remainder, (uint32_t)groups, (uint32_t)each,
                                      power_of_words(DIVIDE_1_CHUNK, d),
                                      power_of_words(DIVIDE_1_CHUNK * each, d), d, v);
    return status == GPU_OK ? launch_divide_1(s, launch_row(groups), r.mem, r.at, u.mem, u.at,
                                              u.words, remainder, power, d, v)
                            : status;
}
