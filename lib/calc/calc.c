/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Room for device numbers, their way to and from the host, and runs of composite operations. */
#include "lib/calc/calc.h"

#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_head.h"
#include "lib/device/answers.h"
#include "lib/device/tables.h"
#include "lib/device/uploads.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { ALIGNMENT = 32 }; /* words: a line of the device's memory */

struct number calc_take(struct calc *c, uint64_t words) {
    struct number x = {c->mem, c->used, words};
    c->used += (words + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (c->used > c->most)
        c->most = c->used;
    if (!c->is_planning && c->used > c->words && c->status == GPU_OK)
        c->status = GPU_FAILED; /* the plan went another way */
    return x;
}

bool calc_is_on(const struct calc *c) {
    return c->status == GPU_OK && !c->is_planning;
}

void calc_zero(struct calc *c, struct number r) {
    if (calc_is_on(c) && r.words > 0)
        c->status =
            gpu_zero(&c->s->queue, r.mem, r.at * sizeof(uint32_t), r.words * sizeof(uint32_t));
}

struct number calc_upload(struct calc *c, const void *host, uint64_t limbs, uint64_t words) {
    struct number x = calc_take(c, words);
    struct number given = number_part(x, 0, 2 * limbs);
    calc_zero(c, number_part(x, given.words, words));
    if (calc_is_on(c))
        uploads_add(c->s, given, host);
    return x;
}

void calc_need(struct calc *c, struct number x) {
    if (calc_is_on(c))
        c->status = uploads_wait(c->s, x);
}

void calc_download(struct calc *c, void *host, struct number x, uint64_t limbs) {
    struct context *s = c->s;
    if (!calc_is_on(c))
        return;
    double begin = stats_on ? stats_clock() : 0;
    c->status = transfer_down(s->transfer, &s->queue, host, x.mem, x.at * sizeof(uint32_t),
                              limbs * sizeof(uint64_t));
    stats_times.download += stats_on ? stats_clock() - begin : 0;
}

/* Before the first, and where the entries begin again: have all been reduced? */
void calc_settle_open(struct calc *c) {
    struct context *s = c->s;
    if (c->status == GPU_OK)
        c->status = answers_fetch(s, ANSWERS_MOST);
    if (c->status == GPU_OK)
        c->status = gpu_finish(&s->queue);
    unsigned made = c->open % ANSWERS_OPEN ? c->open % ANSWERS_OPEN : ANSWERS_OPEN;
    for (unsigned i = 0; i < made && c->status == GPU_OK; i++)
        if (s->answers.host[ANSWER_OPEN + i] != 0)
            c->status = GPU_ABSENT;
}

/* Did every demand hold? */
static void judge(struct calc *c) {
    uint32_t wrong = 1;
    if (c->open > 0)
        calc_settle_open(c);
    if (c->status == GPU_OK)
        c->status = transfer_down(c->s->transfer, &c->s->queue, &wrong, c->mem,
                                  CALC_WRONG * sizeof wrong, sizeof wrong);
    if (c->status != GPU_OK || !wrong)
        return;
    mpgpu_log(LOG_WARNING, "%s: wrong result of a composite operation, found by its check",
              c->s->dev.caps.name);
    c->status = GPU_FAILED;
}

static enum gpu_status plan(struct calc *c, void (*work)(struct calc *c, void *argument),
                            void *argument) {
    gpu_mem unused;
    *c = (struct calc){
        .s = c->s, .wraps = c->wraps, .is_planning = true, .used = CALC_HEAD, .most = CALC_HEAD};
    c->status = selftest_window(c->s);
    if (c->status == GPU_OK)
        c->status = answers_get(c->s, &unused);
    if (c->status == GPU_OK)
        c->status = tables_get(c->s, &unused);
    if (c->status == GPU_OK)
        work(c, argument);
    if (c->status == GPU_OK)
        c->status = context_buffer(c->s, SLOT_CALC, number_bytes(c->most), &c->mem);
    return c->status;
}

static enum gpu_status attempt(struct calc *c, void (*work)(struct calc *c, void *argument),
                               void *argument) {
    if (plan(c, work, argument) != GPU_OK)
        return c->status;
    double begin = stats_on ? stats_clock() : 0;
    struct stats_times before = stats_times;
    c->words = c->most;
    c->is_planning = false;
    c->used = CALC_HEAD;
    c->open = c->flags = 0;
    calc_zero(c, (struct number){c->mem, 0, CALC_HEAD});
    work(c, argument);
    judge(c);
    uploads_forget(c->s);
    if (stats_on)
        stats_times.kernels += stats_clock() - begin - (stats_times.upload - before.upload) -
                               (stats_times.download - before.download);
    return c->status;
}

enum gpu_status calc_run(struct context *s, void (*work)(struct calc *c, void *argument),
                         void *argument) {
    struct calc c = {.s = s, .wraps = true};
    enum gpu_status status = attempt(&c, work, argument);
    if (status == GPU_ABSENT) { /* a carry went far in a product modulo B^n - 1 */
        c.wraps = false;
        status = attempt(&c, work, argument);
    }
    s->mulmod_answer = 0;
    return status;
}
