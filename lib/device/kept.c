/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of batches that stay on the device: launches the kernels that compute residues, and
 * evaluates the residues on the host. */
#include "lib/device/kept.h"

#include "kernels/check/residue.h"
#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/transfer/transfer.h"

/* The most numbers whose residues one launch computes, and the most groups of words for each
 * number. */
enum { NUMBERS = 4, MOST_GROUPS = 256 };

_Static_assert((unsigned)KEPT_ENTRIES >= (unsigned)NUMBERS * MOST_GROUPS &&
                   (unsigned)KEPT_PARTS >= (unsigned)NUMBERS,
               "a launch has room");

void kept_begin(struct context *s, struct kept_work *work, struct kept *kept) {
    work->kept = kept;
    work->has_compared = false;
    work->parts = 0;
    work->entries = 0;
    work->made = NULL;
    work->used_count = 0;
    for (unsigned k = 0; k < KEPT_RESULTS; k++) {
        work->done[k] = 0;
        kept->result[k].residue = 0;
    }
    s->kept = work;
}

void kept_restart(struct context *s) {
    if (s->kept)
        kept_begin(s, s->kept, s->kept->kept);
}

/* ---- launches */

/* Downloads the residues that are queued so far, and evaluates them, to make room for others. */
static enum gpu_status drain(struct context *s) {
    struct kept_work *w = s->kept;
    enum gpu_status status = transfer_down(s->transfer, &s->queue, w->host, verdict_mem(s), 0,
                                           (1 + w->entries) * sizeof *w->host);
    return status == GPU_OK ? kept_coalesce(s) : status;
}

static enum gpu_status ensure_room(struct context *s) {
    const struct kept_work *w = s->kept;
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    bool has_room =
        w->parts + NUMBERS <= KEPT_PARTS && w->entries + NUMBERS * MOST_GROUPS <= KEPT_ENTRIES;
    return status == GPU_OK && !has_room ? drain(s) : status;
}

/* Returns the most groups for each number of a launch: enough to keep all units of the device busy.
 * More would cost time on a CPU, since each group ends with a sum over its work-items. */
static uint64_t most_groups(const struct context *s) {
    enum { GROUPS_OF_A_UNIT = 4 };
    const uint64_t groups = (uint64_t)GROUPS_OF_A_UNIT * s->dev.caps.compute_units;
    return groups == 0 || groups > MOST_GROUPS ? MOST_GROUPS : groups;
}

/* Launches the kernel that computes the residues of `count` parts. The caller has set the number
 * and the place of each part. */
static enum gpu_status launch(struct context *s, const struct kept_part *parts,
                              const uint64_t *words, unsigned count) {
    struct kept_work *w = s->kept;
    uint64_t most = 0, x[NUMBERS];
    for (unsigned k = 0; k < NUMBERS; k++) {
        x[k] = words[k < count ? k : 0];
        most = x[k] > most ? x[k] : most;
    }
    const uint64_t step = RESIDUE_VECTOR * RESIDUE_THREADS;
    const uint64_t steps = ceil_div(ceil_div(most, step), most_groups(s));
    const struct launch_groups groups = launch_grid(ceil_div(most, steps * step), count);
    const struct kept_part *p[NUMBERS];
    for (unsigned k = 0; k < NUMBERS; k++)
        p[k] = &parts[k < count ? k : 0];
    const uint64_t first = w->entries;
    for (unsigned k = 0; k < count; k++) {
        w->part[w->parts] = parts[k];
        w->part[w->parts].words = steps * step;
        w->part[w->parts].groups = groups.x;
        w->part[w->parts++].first = first + k * groups.x;
    }
    w->entries += count * groups.x;
    return launch_batch_residue(s, groups, verdict_mem(s), verdict_pass_rows(s, groups.x, count),
                                p[0]->number->mem, p[0]->at, x[0], p[1]->number->mem, p[1]->at,
                                x[1], p[2]->number->mem, p[2]->at, x[2], p[3]->number->mem,
                                p[3]->at, x[3], s->slot[SLOT_TABLES].mem, tables_residue_at(),
                                (uint32_t)steps, 1 + first);
}

/* Returns which of the operation's results is in the memory r; NULL if none is. */
static struct kept_number *result_in(const struct kept_work *w, gpu_mem r) {
    for (unsigned k = 0; k < w->kept->results && r.h; k++)
        if (w->kept->result[k].mem.h == r.h)
            return &w->kept->result[k];
    return NULL;
}

enum gpu_status kept_result(struct context *s, gpu_mem r, uint64_t at, uint64_t words) {
    struct kept_work *w = s->kept;
    struct kept_number *result = w ? result_in(w, r) : NULL;
    if (result)
        w->done[result - w->kept->result] += words;
    else if (w && w->made && w->made->mem.h == r.h)
        result = w->made;
    if (!result)
        return GPU_OK;
    const struct kept_part part = {.number = result, .at = at};
    enum gpu_status status = ensure_room(s);
    return status == GPU_OK ? launch(s, &part, &words, 1) : status;
}

static bool has_results(const struct kept_work *w) {
    for (unsigned k = 0; k < w->kept->results; k++)
        if (w->done[k] < w->kept->result[k].words)
            return false;
    return true;
}

void kept_step(struct context *s, struct kept_number *made, struct kept_number **used,
               unsigned count) {
    struct kept_work *w = s->kept;
    if (!w)
        return;
    for (unsigned k = 0; k < count; k++) {
        struct kept_number *result = result_in(w, used[k]->mem);
        used[k] = result ? result : used[k];
    }
    if (made)
        made->residue = 0;
    w->made = made;
    w->used = used;
    w->used_count = count;
}

/* Queues the computation of the residues of those numbers that no step after the current one uses.
 */
static enum gpu_status compare_used(struct context *s) {
    struct kept_work *w = s->kept;
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < w->used_count && status == GPU_OK; k++) {
        const struct kept_part part = {.number = w->used[k], .is_operand = true};
        status = ensure_room(s);
        if (status == GPU_OK)
            status = launch(s, &part, &part.number->words, 1);
    }
    w->used_count = 0;
    return status;
}

enum gpu_status kept_compare(struct context *s) {
    struct kept_work *w = s->kept;
    enum gpu_status status = w ? compare_used(s) : GPU_OK;
    if (!w || status != GPU_OK || w->has_compared || !has_results(w))
        return status;
    w->has_compared = true;
    for (unsigned k = 0; k < w->kept->operands && status == GPU_OK; k += NUMBERS) {
        struct kept_part part[NUMBERS];
        uint64_t words[NUMBERS];
        unsigned count = 0;
        for (; count < NUMBERS && k + count < w->kept->operands; count++) {
            part[count] =
                (struct kept_part){.number = &w->kept->operand[k + count], .is_operand = true};
            words[count] = part[count].number->words;
        }
        status = ensure_room(s);
        if (status == GPU_OK)
            status = launch(s, part, words, count);
    }
    return status;
}

/* ---- functions for the host, which evaluates the downloaded residues */

/* Returns the residue of a part, weighted by its place in the number. Adds up the residues of its
 * groups, the highest first. */
static uint64_t sum_up(const struct kept_work *w, const struct kept_part *p,
                       struct check_modulus q) {
    const uint64_t *entry = w->host + 1 + p->first;
    const uint64_t shift = modulus_power_of_words(p->words, q);
    uint64_t r = 0;
    for (uint64_t g = p->groups; g-- > 0;)
        r = residue_plus(residue_product(r, shift, q.m, q.minv), entry[g] % q.m, q.m);
    return residue_product(r, modulus_power_of_words(p->at, q), q.m, q.minv) % q.m;
}

static enum gpu_status compare(struct context *s, const struct kept_part *p, uint64_t residue) {
    if (residue == p->number->residue)
        return GPU_OK;
    mpgpu_log(LOG_WARNING, "%s: the numbers of a batch have changed in device memory",
              s->dev.caps.name);
    return GPU_FAILED;
}

enum gpu_status kept_coalesce(struct context *s) {
    struct kept_work *w = s->kept;
    const struct check_modulus q = s->modulus;
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < w->parts && status == GPU_OK; k++) {
        const struct kept_part *p = &w->part[k];
        const uint64_t residue = sum_up(w, p, q);
        if (p->is_operand)
            status = compare(s, p, residue);
        else
            p->number->residue = residue_plus(p->number->residue, residue, q.m);
    }
    w->parts = 0;
    w->entries = 0;
    return status;
}
