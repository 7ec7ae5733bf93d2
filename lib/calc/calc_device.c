/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's engine: uploads, downloads, and runs of composite operations. */
#include "lib/calc/calc_device.h"

#include "kernels/check/chain.h"
#include "kernels/common/tables.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_broadcast.h"
#include "lib/calc/calc_shard.h"
#include "lib/device/answers.h"
#include "lib/device/tables.h"
#include "lib/device/uploads.h"
#include "lib/multiply/fft_product.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum {
    /* words; longer operations do not collect launches in series, since their kernels take longer
     * than launches */
    SERIES_WORDS = 1 << 25
};

static void zero(struct calc *c, struct number r) {
    c->status = gpu_zero(&c->s->queue, r.mem, r.at * sizeof(uint32_t), r.words * sizeof(uint32_t));
}

static void expect(struct calc *c, struct number x, const uint64_t *host) {
    if (calc_is_on(c) && x.words > 0)
        c->status = uploads_add(c->s, x, host);
}

static struct number upload(struct calc *c, const void *host, uint64_t zeros, uint64_t limbs,
                            uint64_t words, uint64_t high) {
    struct number x = calc_broadcast_take(c, words, limbs);
    struct number given = number_part(x, 2 * zeros, 2 * limbs);
    struct number low = number_part(given, 0, CALC_QUAD * high);
    calc_zero(c, number_part(x, 0, 2 * zeros));
    calc_zero(c, number_part(x, 2 * (zeros + limbs), words));
    expect(c, number_part(given, low.words, words), (const uint64_t *)host + low.words / 2);
    expect(c, low, host);
    return x;
}

static void need(struct calc *c, struct number x) {
    if (c->pair)
        calc_broadcast_need(c, x);
    else
        c->status = uploads_wait(c->s, x);
}

/* With statistics, waits for kernels under way, so that they do not count as download time. */
static enum gpu_status await_kernels(const struct context *s) {
    return stats_are_wanted() ? gpu_finish(&s->queue) : GPU_OK;
}

static void download(struct calc *c, void *host, struct number x, uint64_t from, uint64_t bytes) {
    struct context *s = c->s;
    calc_check_read(c);
    calc_doubt(c, x);
    if (calc_is_on(c))
        c->status = await_kernels(s);
    if (!calc_is_on(c))
        return;
    double begin = stats_now();
    c->status =
        transfer_down(s->transfer, &s->queue, host, x.mem, x.at * sizeof(uint32_t) + from, bytes);
    stats_here()->download += stats_now() - begin;
}

static const struct calc_engine device = {.upload = upload,
                                          .mul = calc_device_mul,
                                          .mul_wrapped = calc_device_mul_wrapped,
                                          .mul_1 = calc_device_mul_1,
                                          .reduce = calc_device_reduce,
                                          .download = download,
                                          .zero = zero,
                                          .add = calc_device_add,
                                          .shift = calc_device_shift,
                                          .remainder = calc_device_remainder,
                                          .least_wrapped = calc_device_least_wrapped,
                                          .keep = calc_device_keep,
                                          .mul_kept = calc_device_mul_kept,
                                          .divide_1 = calc_device_divide_1,
                                          .mul_mersenne = calc_device_mul_mersenne,
                                          .mersenne_reduce = calc_device_mersenne_reduce,
                                          .mersenne_quotient = calc_device_mersenne_quotient,
                                          .demand_less = calc_device_demand_less,
                                          .demand_below_mersenne =
                                              calc_device_demand_below_mersenne,
                                          .need = need,
                                          .demand = calc_device_demand,
                                          .check_now = calc_device_check_now};

/* Returns true if the operation must be repeated with whole products. One reason is a product
 * modulo 2^k - 1 that is not fully reduced, because a carry would have to pass too many words.
 * Another reason is a product by floating-point transforms whose rounding errors are large
 * (fft_product_is_doubted). */
static bool has_open(const struct calc *c) {
    bool is_doubted = false;
    for (unsigned i = 1; i <= c->doubts; i++)
        is_doubted |= fft_product_is_doubted_by(c->s, ANSWER_OPEN + ANSWERS_OPEN - i);
    stats_here()->recomputed += is_doubted;
    for (unsigned i = 0; i < c->open; i++)
        if (c->s->answers.host[ANSWER_OPEN + i] != 0)
            return true;
    return is_doubted;
}

/* Waits for all queued work, and downloads the entries that kernels write for the host
 * (lib/device/answers.h). Sets GPU_ABSENT if the operation must be repeated with whole products. */
static void await_answers(struct calc *c) {
    if (c->status == GPU_OK)
        c->status = answers_fetch(c->s, ANSWERS_MOST);
    if (c->status == GPU_OK)
        c->status = gpu_finish(&c->s->queue);
    if (c->status == GPU_OK && has_open(c))
        c->status = GPU_ABSENT;
}

static void need_answer(struct calc *c) {
    if (c->open + c->doubts == ANSWERS_OPEN) {
        await_answers(c);
        c->open = c->doubts = 0;
    }
}

unsigned calc_next_open(struct calc *c) {
    need_answer(c);
    return ANSWER_OPEN + c->open++;
}

unsigned calc_next_doubt(struct calc *c) {
    need_answer(c);
    return ANSWER_OPEN + ANSWERS_OPEN - ++c->doubts;
}

/* Makes the operation fail unless every demanded equation and comparison held. If fft may have
 * computed products modulo 2^p - 1, rounding may be the cause: the operation must then be repeated
 * without fft. */
static void judge(struct calc *c) {
    calc_check_fetch(c);
    await_answers(c);
    if (c->status != GPU_OK || calc_check_holds(c))
        return;
    if (c->mersenne.length > 0) {
        stats_here()->recomputed++;
        c->status = GPU_ABSENT;
        return;
    }
    mpgpu_log(c->pair ? LOG_INFO : LOG_WARNING,
              "%s: wrong result of a composite operation, found by its check", c->s->dev.caps.name);
    c->is_wrong = true;
    c->status = GPU_FAILED;
}

static enum gpu_status plan(struct calc *c, void (*work)(struct calc *c, void *argument),
                            void *argument) {
    gpu_mem unused;
    *c = (struct calc){.engine = &device,
                       .s = c->s,
                       .wraps = c->wraps,
                       .pair = c->pair,
                       .half = c->half,
                       .is_planning = true,
                       .one = {.at = TABLE_ONE, .words = 1},
                       .check.room = CALC_RECORDS_USUAL,
                       .used = CALC_HEAD,
                       .most = CALC_HEAD};
    c->status = selftest_window(c->s);
    if (c->status == GPU_OK)
        c->status = answers_get(c->s, &unused);
    if (c->status == GPU_OK)
        c->status = tables_get(c->s, &c->one.mem);
    if (c->status == GPU_OK)
        work(c, argument);
    c->words = c->most;
    c->check.at = c->words / 2;
    c->most += 2 * (CHECK_RECORDS + c->check.room);
    if (c->status == GPU_OK)
        c->status = context_buffer(c->s, SLOT_CALC, number_bytes(c->most), &c->mem);
    if (c->status == GPU_OK && c->pair)
        c->status = calc_broadcast_alloc(c);
    return c->status;
}

/* Runs the planned operation: queues its work, waits for it, and checks the demands. */
static void carry_out(struct calc *c, void (*work)(struct calc *c, void *argument),
                      void *argument) {
    c->is_planning = false;
    c->used = CALC_HEAD;
    c->open = c->doubts = c->flags = c->turn = 0;
    c->broadcast = 0;
    calc_check_begin(c);
    c->is_series = c->words <= SERIES_WORDS;
    calc_series(c);
    work(c, argument);
    calc_check_now(c);
    calc_series_end(c);
    judge(c);
    calc_check_close(c);
    uploads_forget(c->s);
}

/* Counts all time except transfers as kernel time, including planning and waiting. */
static enum gpu_status attempt(struct calc *c, void (*work)(struct calc *c, void *argument),
                               void *argument) {
    double begin = stats_now();
    double transfers = stats_here()->upload + stats_here()->download,
           kernels = stats_here()->kernels;
    if (plan(c, work, argument) == GPU_OK)
        carry_out(c, work, argument);
    transfers = stats_here()->upload + stats_here()->download - transfers;
    if (stats_are_wanted())
        stats_here()->kernels = kernels + stats_clock() - begin - transfers;
    return c->status;
}

enum gpu_status calc_run(struct context *s, void (*work)(struct calc *c, void *argument),
                         void *argument) {
    struct calc c = {.s = s, .wraps = true};
    enum gpu_status status = attempt(&c, work, argument);
    if (status == GPU_ABSENT) { /* a carry ran too far in a product modulo a number 2^k - 1, or an
                                   fft product is doubted: repeat with whole products */
        c.wraps = false;
        status = attempt(&c, work, argument);
    }
    s->mulmod_answer = 0;
    stats_here()->ways[c.mersenne.length > 0 ? STATS_FFT : STATS_WHOLE] += status == GPU_OK;
    return status;
}

/* Runs one device's part of an operation on two devices. Returns GPU_OK for failures that are no
 * fault of this device; *end reports them. Among these are a carry that ran too far, a wrong
 * result, missing memory, and the other device's leaving. */
enum gpu_status calc_run_half(struct context *s, void (*work)(struct calc *c, void *argument),
                              void *argument, struct calc_shard *pair, unsigned half,
                              enum calc_end *end) {
    struct calc c = {.s = s, .wraps = true, .pair = pair, .half = half};
    enum gpu_status status = attempt(&c, work, argument);
    s->mulmod_answer = 0;
    stats_here()->ways[STATS_WHOLE] += status == GPU_OK;
    if (status != GPU_OK)
        mpgpu_log(LOG_DETAIL, "half %u of a composite operation: %s%s", half,
                  gpu_status_text(status), c.is_alone ? ", alone" : "");
    *end = status == GPU_OK ? CALC_DONE : c.is_wrong ? CALC_WRONG_RESULT : CALC_UNDONE;
    return c.is_alone || c.is_wrong || status == GPU_ABSENT || status == GPU_NOMEM ? GPU_OK
                                                                                   : status;
}
