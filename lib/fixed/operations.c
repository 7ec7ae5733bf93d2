/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches of fixed-point operations. */
#include "lib/fixed/operations.h"

#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/device/launch.h"
#include "lib/fixed/words.h"
#include "lib/transfer/transfer.h"

enum { THREADS = 128, TESTED = 64, MOST = TESTED * MANDELBROT_MOST_WORDS };

void operations_host(uint32_t *r, const uint32_t *u, const uint32_t *v, size_t numbers,
                     unsigned words, unsigned operation, uint32_t count) {
    words_numbers *by = words == 4   ? words_numbers_4
                        : words == 6 ? words_numbers_6
                                     : words_numbers_8;
    by(r, u, v, numbers, operation, count);
}

static enum gpu_status launch(struct context *s, const struct operations_batch *b) {
    if (b->numbers == 0)
        return GPU_OK;
    return launch_fixed_numbers(s, b->words, launch_row(ceil_div(b->numbers, THREADS)), b->r, b->u,
                                b->v, b->numbers, b->operation, b->count);
}

/* Words that break carries: some all ones, some 0, some with one bit. */
static void fill(uint32_t *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned kind = (unsigned)(seed >> 20) % 16;
        x[i] = kind < 3   ? 0
               : kind < 6 ? ~0u
               : kind < 8 ? 1u << (seed >> 59)
                          : (uint32_t)(seed >> 32);
    }
}

/* A self-test under way. */
struct test {
    struct context *s;
    struct operations_batch batch;
    uint32_t u[MOST], v[MOST], right[MOST], r[MOST];
    size_t bytes; /* of each */
};

static enum gpu_status buffer(struct test *t, enum context_slot slot, gpu_mem *mem) {
    return context_buffer(t->s, slot, t->bytes, mem);
}

static enum gpu_status upload(struct test *t, gpu_mem to, const uint32_t *from) {
    return transfer_up(t->s->transfer, &t->s->queue, to, 0, from, t->bytes);
}

static enum gpu_status begin(struct test *t, struct context *s, unsigned words) {
    struct operations_batch *b = &t->batch;
    *b = (struct operations_batch){.numbers = TESTED, .words = words};
    t->s = s;
    t->bytes = (size_t)TESTED * words * sizeof *t->u;
    fill(t->u, TESTED * words, 1);
    fill(t->v, TESTED * words, 2);
    memcpy(t->v, t->u, words * sizeof *t->u); /* equal ones, for comparisons */
    enum gpu_status status = buffer(t, SLOT_U, &b->u);
    status = status ? status : buffer(t, SLOT_V, &b->v);
    status = status ? status : buffer(t, SLOT_R, &b->r);
    status = status ? status : upload(t, b->u, t->u);
    return status ? status : upload(t, b->v, t->v);
}

static enum gpu_status verify_one(struct test *t, unsigned operation, uint32_t count) {
    t->batch.operation = operation;
    t->batch.count = count;
    operations_host(t->right, t->u, t->v, TESTED, t->batch.words, operation, count);
    enum gpu_status status = launch(t->s, &t->batch);
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, t->r, t->batch.r, 0, t->bytes);
    if (status != GPU_OK || memcmp(t->r, t->right, t->bytes) == 0)
        return status;
    mpgpu_log(LOG_WARNING, "%s: wrong answer of the known-answer test: operation %u of %u words",
              t->s->dev.caps.name, operation, t->batch.words);
    t->s->failed = 1;
    return GPU_FAILED;
}

enum gpu_status operations_verify(struct context *s, unsigned words) {
    static const uint32_t counts[] = {1, 33, 64, 100};
    struct test t;
    if (s->verified_fixed & 1u << words)
        return GPU_OK;
    enum gpu_status status = begin(&t, s, words);
    for (unsigned operation = 0; operation < FIXED_OPERATIONS && status == GPU_OK; operation++)
        status = verify_one(&t, operation, counts[operation % 4]);
    if (status == GPU_OK)
        s->verified_fixed |= 1u << words;
    return status;
}

enum gpu_status operations_run(struct context *s, const struct operations_batch *b) {
    enum gpu_status status = operations_verify(s, b->words);
    return status == GPU_OK ? launch(s, b) : status;
}
