/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches by the device's thread, for a thread of the program. */
#include "lib/operate/batch_run.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/memory/touch.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

struct request {
    struct batch_store store;
    size_t at;
    const void *from;
    void *to;
};

/* On the device of the store. */
static enum outcome ask(enum gpu_status (*work)(struct context *s, void *context),
                        struct request *r) {
    int before = session_bind(r->store.device);
    enum outcome outcome = session_run(work, r, sizeof *r, r->store.bytes);
    session_bind(before);
    return outcome;
}

static enum outcome rescue(enum gpu_status (*work)(struct context *s, void *context),
                           struct request *r, size_t bytes) {
    int before = session_bind(r->store.device);
    enum outcome outcome = session_rescue(work, r, sizeof *r, bytes);
    session_bind(before);
    return outcome;
}

/* Memory for a caller that has left is released. */
static enum gpu_status take_there(struct context *s, void *context) {
    struct request *r = context;
    enum gpu_status status = context_alloc(s, r->store.bytes, &r->store.mem);
    if (status != GPU_OK)
        return status;
    if (!hold_enter(s->hold)) {
        context_release(s, r->store.mem, r->store.bytes);
        return hold_refusal(s->hold);
    }
    hold_leave(s->hold);
    return GPU_OK;
}

enum outcome batch_alloc(struct batch_store *store, size_t bytes) {
    struct request r = {.store = {.bytes = bytes, .device = session_place()}};
    enum outcome outcome = ask(take_there, &r);
    if (outcome == OUTCOME_DONE)
        *store = r.store;
    return outcome;
}

static enum gpu_status fill_there(struct context *s, void *context) {
    const struct request *r = context;
    double start = stats_now();
    enum gpu_status status;
    if (r->from)
        status = transfer_up(s->transfer, &s->queue, r->store.mem, r->at, r->from, r->store.bytes);
    else
        status = gpu_zero(&s->queue, r->store.mem, r->at, r->store.bytes);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    stats_here()->upload += stats_now() - start;
    return status;
}

/* ---- residues (lib/device/kept.h) */

uint64_t batch_residue(const void *from, size_t at, size_t bytes) {
    return limbs_residue_at(from, bytes / sizeof(uint64_t), at / sizeof(uint64_t),
                            tables_check_modulus());
}

bool batch_is_kept(const struct batch_store *store, uint64_t residue) {
    if (!store->is_kept || residue == store->residue)
        return true;
    session_fault();
    mpgpu_log(LOG_WARNING, "the numbers of a batch have changed in device memory");
    return false;
}

uint64_t batch_add_residues(uint64_t a, uint64_t b) {
    return residue_plus(a, b, tables_check_modulus().m);
}

/* What part `at` of a store becomes; parts come in order. */
static void keep_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    store->is_kept = mpgpu_conf.verify != VERIFY_OFF;
    if (at == 0)
        store->residue = 0;
    if (store->is_kept && from)
        store->residue = batch_add_residues(store->residue, batch_residue(from, at, bytes));
}

enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes) {
    struct request r = {.store = {.mem = store->mem, .bytes = bytes, .device = store->device},
                        .at = at,
                        .from = from};
    const struct touch touches[] = {{from, from ? bytes : 0, 0}};
    return !touch_all(touches, 1) ? OUTCOME_MEMORY : ask(fill_there, &r);
}

enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    keep_part(store, at, from, bytes);
    return batch_write(store, at, from, bytes);
}

enum outcome batch_fill(struct batch_store *store, const void *from) {
    return batch_fill_part(store, 0, from, store->bytes);
}

static enum gpu_status fetch_there(struct context *s, void *context) {
    const struct request *r = context;
    double start = stats_now();
    enum gpu_status status =
        transfer_down(s->transfer, &s->queue, r->to, r->store.mem, r->at, r->store.bytes);
    stats_here()->download += stats_now() - start;
    return status;
}

enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes) {
    struct request r = {
        .store = {.mem = store->mem, .bytes = bytes, .device = store->device}, .at = at, .to = to};
    const struct touch touches[] = {{to, bytes, 1}};
    return !touch_all(touches, 1) ? OUTCOME_MEMORY : rescue(fetch_there, &r, bytes);
}

enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes) {
    enum outcome outcome = batch_fetch_part(to, store, 0, bytes);
    if (outcome != OUTCOME_DONE || !store->is_kept)
        return outcome;
    return batch_is_kept(store, batch_residue(to, 0, bytes)) ? OUTCOME_DONE : OUTCOME_FAILED;
}

static enum gpu_status drop_there(struct context *s, void *context) {
    const struct request *r = context;
    context_release(s, r->store.mem, r->store.bytes);
    return GPU_OK;
}

void batch_free(struct batch_store *store) {
    struct request r = {.store = *store};
    if (store->bytes > 0) {
        int before = session_bind(store->device);
        session_rescue_once(drop_there, &r, sizeof r);
        session_bind(before);
    }
    store->bytes = 0;
}
