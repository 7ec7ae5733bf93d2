/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers in redundant digits: the launches of kernels/sums/redundant.cl. */
#include "lib/multiply/redundant.h"
#include "kernels/common/carry.h"

/* As in kernels/sums/redundant.cl: words and digits of a work-item where they meet, and digits of
 * one elsewhere. */
enum { SPAN_WORDS = 12, SPAN_DIGITS = 16, ITEM_DIGITS = 4 };

static uint64_t groups_of(uint64_t count, unsigned of_item) {
    return (count + of_item * CARRY_THREADS - 1) / (of_item * CARRY_THREADS);
}

#define LAUNCH(s, kernel, groups, args)                                                            \
    NUMBER_LAUNCH(s, GPU_PROGRAM_redundant, kernel, groups, 1, CARRY_THREADS, args)

#define NUMBER_ARGS(x) gpu_arg_mem((x).mem), gpu_arg_u64((x).at), gpu_arg_u64((x).words)

int redundant_from_words(struct context *s, struct number r, struct number u) {
    struct gpu_arg args[] = {NUMBER_ARGS(r), NUMBER_ARGS(u)};
    return LAUNCH(s, "redundant_from_words", groups_of(r.words, SPAN_DIGITS), args);
}

int redundant_to_words(struct context *s, struct number r, struct number u) {
    uint64_t groups = groups_of(r.words, SPAN_WORDS);
    gpu_mem flags;
    int status = number_flags(s, groups, &flags);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {NUMBER_ARGS(r), NUMBER_ARGS(u), gpu_arg_mem(flags)};
    status = LAUNCH(s, "redundant_to_words", groups, args);
    return status == GPU_OK ? number_carries(s, r, groups, SPAN_WORDS * CARRY_THREADS, 0) : status;
}

int redundant_copy(struct context *s, struct number r, struct number u) {
    struct gpu_arg args[] = {NUMBER_ARGS(r), NUMBER_ARGS(u)};
    return LAUNCH(s, "redundant_copy", groups_of(r.words, ITEM_DIGITS), args);
}

int redundant_add(struct context *s, struct number r, struct number u, struct number v,
                  int subtract) {
    struct gpu_arg args[] = {gpu_arg_mem(r.mem), gpu_arg_u64(r.at), NUMBER_ARGS(u), NUMBER_ARGS(v),
                             gpu_arg_u32(subtract ? ~0u : 1u)};
    return LAUNCH(s, "redundant_add", groups_of(u.words, ITEM_DIGITS), args);
}

int redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k) {
    struct gpu_arg args[] = {NUMBER_ARGS(r), NUMBER_ARGS(u), gpu_arg_u32((uint32_t)k)};
    return LAUNCH(s, "redundant_mul_1", groups_of(r.words, ITEM_DIGITS), args);
}

int redundant_settle(struct context *s, struct number r, struct number u) {
    struct gpu_arg args[] = {NUMBER_ARGS(r), NUMBER_ARGS(u)};
    return LAUNCH(s, "redundant_settle", groups_of(r.words, ITEM_DIGITS), args);
}
