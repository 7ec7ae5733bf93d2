/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches of fixed-point operations. */
#include "lib/fixed/operations.h"

#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/fixed/words.h"
#include "lib/selftest/known_answer.h"

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

/* Tests all operations.  The first numbers of both operands are equal, so that comparisons of equal
 * numbers are tested too. */
static void verify(struct known_answer *t) {
    static const uint32_t counts[] = {1, 33, 64, 100};
    uint32_t right[MOST];
    const unsigned words = (unsigned)(t->n / TESTED);
    struct operations_batch b = {
        .r = t->r.mem, .u = t->x[0].mem, .v = t->x[1].mem, .numbers = TESTED, .words = words};
    memcpy(t->host[1], t->host[0], words * sizeof *right);
    known_answer_up(t, b.v, 0, t->host[1], words);
    for (unsigned operation = 0; operation < FIXED_OPERATIONS; operation++) {
        b.operation = operation;
        b.count = counts[operation % 4];
        operations_host(right, t->host[0], t->host[1], TESTED, words, operation, b.count);
        KNOWN_ANSWER(t, launch(t->s, &b));
        known_answer_compare(t, b.r, 0, right, t->n, "fixed-point operation");
    }
}

enum gpu_status operations_verify(struct context *s, unsigned words) {
    return known_answer_ensure(s, KNOWN_FIXED + words, (size_t)TESTED * words, verify, NULL);
}

enum gpu_status operations_run(struct context *s, const struct operations_batch *b) {
    enum gpu_status status = operations_verify(s, b->words);
    return status == GPU_OK ? launch(s, b) : status;
}
