/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for numbers in redundant digits (kernels/sums/redundant.cl). */
#include "lib/multiply/redundant.h"

#include "kernels/common/carry.h"
#include "kernels/sums/redundant.h"
#include "lib/device/launch.h"

static struct launch_groups groups_of(uint64_t count, unsigned of_item) {
    return launch_row((count + of_item * CARRY_THREADS - 1) / (of_item * CARRY_THREADS));
}

#define NUMBER(x) (x).mem, (x).at, (x).words

enum gpu_status redundant_from_words(struct context *s, struct number r, struct number u) {
    return launch_redundant_from_words(s, groups_of(r.words, DIGIT_SPAN), NUMBER(r), NUMBER(u));
}

enum gpu_status redundant_to_words(struct context *s, struct number r, struct number u) {
    const unsigned chunk = DIGIT_SPAN_WORDS * CARRY_THREADS;
    struct launch_groups groups = groups_of(r.words, DIGIT_SPAN_WORDS);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups.x, &flags);
    if (status == GPU_OK)
        status = launch_redundant_to_words(s, groups, NUMBER(r), NUMBER(u), flags);
    return status == GPU_OK ? number_carries(s, r, groups.x, chunk) : status;
}

enum gpu_status redundant_copy(struct context *s, struct number r, struct number u) {
    return launch_redundant_copy(s, groups_of(r.words, DIGIT_ITEM), NUMBER(r), NUMBER(u));
}

enum gpu_status redundant_add(struct context *s, struct number r, struct number u, struct number v,
                              int subtract) {
    return launch_redundant_add(s, groups_of(u.words, DIGIT_ITEM), r.mem, r.at, NUMBER(u),
                                NUMBER(v), subtract ? ~0u : 1u);
}

enum gpu_status redundant_mul_1(struct context *s, struct number r, struct number u, int32_t k) {
    return launch_redundant_mul_1(s, groups_of(r.words, DIGIT_ITEM), NUMBER(r), NUMBER(u),
                                  (uint32_t)k);
}

enum gpu_status redundant_resolve(struct context *s, struct number r, struct number u) {
    return launch_redundant_resolve(s, groups_of(r.words, DIGIT_ITEM), NUMBER(r), NUMBER(u));
}
