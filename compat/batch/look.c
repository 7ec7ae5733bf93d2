/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds zeros and even numbers in a batch of divisors or moduli, before an operation uses them. */
#include "compat/batch/look.h"

#include "compat/batch/shards.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"

static struct euclid_found look_on_host(const mpgpu_batch *b) {
    struct euclid_found found = {0};
    for (size_t i = 0; i < b->count; i++) {
        const mp_limb_t *xp = b->limbs + i * b->n;
        found.zeros += mpn_zero_p(xp, (mp_size_t)b->n) != 0;
        found.even += xp[0] % 2 == 0;
    }
    return found;
}

static bool look_on_device(const mpgpu_batch *b, struct euclid_found *found) {
    struct job job = {.op = JOB_batch_look,
                      .operands = 1,
                      .u = {{.mem = b->store.mem, .count = b->count, .n = b->n}}};
    const int before = session_bind(b->store.device);
    const enum outcome outcome = job_run(&job);
    session_bind(before);
    found->zeros += (uint32_t)job.answer;
    found->even += (uint32_t)(job.answer >> 32);
    return outcome == OUTCOME_DONE;
}

static bool look_on_devices(const mpgpu_batch *b, struct euclid_found *found) {
    bool is_done = true;
    *found = (struct euclid_found){0};
    if (b->where == BATCH_ON_DEVICE)
        return look_on_device(b, found);
    for (unsigned j = 0; j < b->shards->cut.shards && is_done; j++)
        is_done = look_on_device(&b->shards->shard[j], found);
    return is_done;
}

/* Counts zeros and even numbers of b on its devices. If a device fails, or b is too long for it,
 * downloads b and counts on the host. */
static int look(mpgpu_batch *b, struct euclid_found *found) {
    if ((b->where == BATCH_ON_DEVICE || b->where == BATCH_IN_SHARDS) && b->count <= UINT32_MAX &&
        b->n <= EUCLID_MOST_WORDS / 2 && look_on_devices(b, found))
        return 0;
    int error = batch_to_host(b);
    if (!error)
        *found = look_on_host(b);
    return error;
}

int batch_look(mpgpu_batch *b, struct euclid_found *found) {
    if (b->where == BATCH_ZERO) {
        *found = (struct euclid_found){.zeros = b->count, .even = b->count};
        return batch_fail(MPGPU_DIVIDE_BY_ZERO);
    }
    int error = look(b, found);
    return error == 0 && found->zeros > 0 ? batch_fail(MPGPU_DIVIDE_BY_ZERO) : error;
}
