/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: the operands, and whether the device is right. */
#include "lib/selftest/known_answer.h"

#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/device/residue.h"
#include "lib/dispatch/dispatch.h"
#include "lib/transfer/transfer.h"

/* Words that break carries: of each sixteen some are all ones, some zero.  The same in each
 * test: some rely on the operands' highest words. */
static void fill(uint32_t *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned kind = (unsigned)(seed >> 20) % 16;
        x[i] = i / 64 % 3 == 1 ? ~0u : kind < 4 ? 0 : kind < 8 ? ~0u : (uint32_t)(seed >> 32);
    }
}

enum gpu_status known_answer_begin(struct known_answer *t, struct context *s, size_t n) {
    dispatch_warm_up();
    *t = (struct known_answer){.s = s, .n = n, .host = malloc(4 * n * sizeof(uint32_t))};
    if (!t->host)
        return GPU_NOMEM;
    fill(t->host, n, 1);
    fill(t->host + n, n, 2);
    t->u_residue = residue_of(t->host, n, RESIDUE_MODULUS);
    t->v_residue = residue_of(t->host + n, n, RESIDUE_MODULUS);
    enum gpu_status status = number_in_slot(s, SLOT_U, n, &t->u);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_V, n, &t->v);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, 2 * n, &t->r);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, t->u.mem, 0, t->host, n * sizeof(uint32_t));
    if (status == GPU_OK)
        status =
            transfer_up(s->transfer, &s->queue, t->v.mem, 0, t->host + n, n * sizeof(uint32_t));
    return status;
}

enum gpu_status known_answer_wrong(struct context *s, const char *what, size_t n) {
    mpgpu_log(LOG_WARNING, "%s: wrong answer of the known-answer test: %s of %zu words",
              s->dev.caps.name, what, n);
    s->failed = 1;
    return GPU_FAILED;
}

bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what) {
    if (!*way || (status != GPU_FAILED && status != GPU_NOBUILD))
        return false;
    mpgpu_log(LOG_WARNING, "%s: goes on without %s", s->dev.caps.name, what);
    *way = false;
    s->failed = 0;
    return true;
}

enum gpu_status known_answer_check(struct known_answer *t, enum gpu_status status, size_t words,
                                   uint64_t right, const char *what) {
    uint32_t *r = t->host + 2 * t->n;
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, r, t->r.mem, 0, words * sizeof *r);
    if (status == GPU_OK && residue_of(r, words, RESIDUE_MODULUS) != right)
        status = known_answer_wrong(t->s, what, t->n);
    dispatch_warm_up();
    return status;
}
