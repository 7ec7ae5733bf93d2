/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device: launches. */
#include "lib/modular/modular.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"

/* For the tables of powers at a time. */
static const uint64_t table_bytes = 256 << 20;

bool modular_is_short(uint32_t words) {
    return words <= MODULAR_MOST_WORDS;
}

/* Words of the program for such numbers. */
static unsigned program_words(uint32_t words) {
    unsigned most = MODULAR_LEAST_WORDS;
    while (most < words)
        most *= 2;
    return most;
}

uint32_t modular_rows(uint32_t words) {
    return words <= MODULAR_LEAST_WORDS ? MODULAR_LEAST_WORDS
                                        : MODULAR_SPAN * (uint32_t)ceil_div(words, MODULAR_SPAN);
}

/* Groups for so many numbers, each with as many lanes as it may have. */
static struct launch_groups groups_of(uint64_t numbers, uint32_t words) {
    return launch_row(
        ceil_div(numbers * MODULAR_LANES(program_words(words)), (uint64_t)MODULAR_THREADS));
}

/* ---- powers */

/* Bits at a time for which there are fewest products, for exponents of so many words. */
static unsigned window_of(uint32_t words) {
    unsigned best = 1;
    uint64_t least = UINT64_MAX;
    for (unsigned window = 1; window <= MODULAR_MOST_WINDOW; window++) {
        uint64_t products = ceil_div(UINT64_C(32) * words, window) + (UINT64_C(1) << window);
        best = products < least ? window : best;
        least = min_u64(least, products);
    }
    return best;
}

static uint64_t bytes_of_table(const struct modular_operation *op) {
    return ((uint64_t)program_words(op->words) << window_of(op->exponent_words)) * sizeof(uint32_t);
}

/* Teams that compute powers at the same time, in whole warps. */
static uint32_t slots_of(const struct modular_operation *op) {
    uint64_t most = table_bytes / bytes_of_table(op) / 32;
    return 32 * (uint32_t)min_u64(ceil_div(op->count, UINT64_C(32)), most);
}

static bool is_power(const struct modular_operation *op) {
    return op->kind == MODULAR_KIND_POW || op->kind == MODULAR_KIND_POW_SECURE;
}

static uint32_t shared_of(const struct modular_operation *op) {
    return (op->moduli.is_one ? MODULAR_ONE_MODULUS : 0u) |
           (op->is_one_exponent ? MODULAR_ONE_EXPONENT : 0u);
}

static enum gpu_status power(struct context *s, const struct modular_operation *op) {
    uint32_t slots = slots_of(op);
    bool is_secret = op->kind == MODULAR_KIND_POW_SECURE;
    enum gpu_status status = launch_modular_power(
        s, program_words(op->words), groups_of(slots, op->words), op->r, op->u, op->v, op->moduli.m,
        op->moduli.known, s->slot[SLOT_WORK].mem, op->count, op->words, modular_rows(op->words),
        op->exponent_words, window_of(op->exponent_words), is_secret, shared_of(op), slots);
    return status == GPU_OK && is_secret
               ? gpu_zero(&s->queue, s->slot[SLOT_WORK].mem, 0, slots * bytes_of_table(op))
               : status;
}

/* ---- operations */

static const uint32_t kinds[] = {[MODULAR_KIND_REDUCE] = MODULAR_REDUCE,
                                 [MODULAR_KIND_ADD] = MODULAR_ADD,
                                 [MODULAR_KIND_SUB] = MODULAR_SUB,
                                 [MODULAR_KIND_MUL] = MODULAR_MUL};

static enum gpu_status arithmetic(struct context *s, const struct modular_operation *op) {
    bool is_reduction = op->kind == MODULAR_KIND_REDUCE;
    return launch_modular_arithmetic(
        s, program_words(op->words), groups_of(op->count, op->words), op->r, op->u,
        is_reduction ? op->u : op->v, op->moduli.m, op->moduli.known, op->count, op->words,
        modular_rows(op->words), is_reduction ? op->u_words : op->words, kinds[op->kind],
        shared_of(op));
}

enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op) {
    gpu_mem unused;
    return is_power(op) ? context_buffer(s, SLOT_WORK, slots_of(op) * bytes_of_table(op), &unused)
                        : GPU_OK;
}

enum gpu_status modular_compute(struct context *s, const struct modular_operation *op) {
    return is_power(op) ? power(s, op) : arithmetic(s, op);
}

enum gpu_status modular_operate(struct context *s, const struct modular_operation *op) {
    enum gpu_status status = modular_prepare(s, op);
    if (status == GPU_OK)
        status = modular_compute(s, op);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

enum gpu_status modular_moduli_compute(struct context *s, gpu_mem known, gpu_mem kinds_of,
                                       gpu_mem m, uint64_t count, uint32_t words) {
    enum gpu_status status =
        launch_modular_prepare(s, program_words(words), groups_of(count, words), known, kinds_of, m,
                               count, words, modular_rows(words));
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}
