/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices: each does all of it but of long products and operands,
 * of which it makes or brings a half (lib/calc/calc_pair.h).
 *
 * Both check all that they have, and that they had the same operands.  Where a check fails it is
 * not known whose half was wrong: so that is no device's fault, and one device does the operation
 * once more.  What a device is asked for and does not do is its own fault, as ever.  A device that
 * does not answer is given up by its own watchdog; the other, which waits for it, hears of that,
 * and ends. */
#include "lib/operate/shares/composition_shares.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_pair.h"
#include "lib/operate/shares/sharing.h"
#include "lib/process/signal_guard.h"
#include "lib/process/thread_pool.h"
#include "lib/session/session.h"
#include "lib/session/settle.h"

/* An operation's longest product has to be so many times as long as a product from host memory,
 * which gains the other device's link too (doc/design/scale.md); its other products less. */
enum { TIMES = 8, TIMES_OF_OTHERS = 4, LIMB_WORDS = 2 };

/* It outlasts an answer that comes too late: then nothing is shared any more. */
static struct calc_pair pair;

struct half {
    void (*work)(struct calc *c, void *argument);
    unsigned half;
    enum calc_end end;
    _Alignas(max_align_t) unsigned char argument[COMPOSITION_ARGUMENT];
};
_Static_assert(sizeof(struct half) <= SESSION_ARGUMENT, "see session_run");

struct job {
    unsigned device[SESSION_DEVICES];
    size_t bytes;
    struct half half[CALC_HALVES];
    enum outcome outcome[CALC_HALVES];
    struct stats_times times; /* the first one's */
};

bool composition_may_share(size_t limbs) {
    size_t least = sharing_limbs();
    return limbs > 0 && least <= MPGPU_NEVER / TIMES && limbs >= TIMES * least &&
           sharing_is_allowed();
}

/* Of a device that was given up nothing is begun late, nor once more where memory lacked. */
static enum gpu_status run_half(struct context *s, void *argument) {
    struct half *h = argument;
    h->end = CALC_UNDONE;
    if (calc_pair_is_gone(&pair, h->half))
        return GPU_OK;
    enum gpu_status status = calc_run_half(s, h->work, h->argument, &pair, h->half, &h->end);
    calc_pair_leave(&pair, h->half);
    return status == GPU_OK && h->end != CALC_DONE && !settle(s) ? GPU_FAILED : status;
}

/* In a thread of the program's side. */
static void run_share(void *argument, unsigned i) {
    struct job *job = argument;
    struct stats_times before = *stats_here();
    int bound = session_bind((int)job->device[i]);
    stats_begin();
    session_go_on(false);
    job->outcome[i] = session_run(run_half, &job->half[i], sizeof job->half[i], job->bytes);
    calc_pair_leave(&pair, i);
    session_bind(bound);
    if (i == 0)
        job->times = *stats_here();
    *stats_here() = before;
}

static void begin(struct job *job, void (*work)(struct calc *c, void *argument),
                  const void *argument, size_t size) {
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        job->half[i].work = work;
        job->half[i].half = i;
        memcpy(job->half[i].argument, argument, size);
    }
    uint64_t words = LIMB_WORDS * (uint64_t)sharing_limbs();
    calc_pair_begin(&pair, TIMES_OF_OTHERS * words, words);
}

/* How both have ended.  Where one has not, what the other has made of its halves may be wrong. */
static enum calc_end end_of(const struct job *job) {
    enum calc_end least = CALC_DONE;
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        enum calc_end end = job->outcome[i] == OUTCOME_DONE ? job->half[i].end : CALC_UNDONE;
        least = end < least ? end : least;
    }
    return least;
}

/* The memory that they offer is kept where a device has not answered. */
static enum outcome end(const struct job *job, int *device) {
    enum calc_end end = end_of(job);
    if (!sharing_is_over())
        calc_pair_forget(&pair);
    for (unsigned i = 0; i < CALC_HALVES; i++)
        if (job->outcome[i] == OUTCOME_DONE)
            *device = (int)job->device[i];
    if (end == CALC_WRONG_RESULT)
        sharing_count_wrong();
    mpgpu_log(LOG_DETAIL, "a composite operation on two devices: %s",
              end == CALC_DONE ? "done" : "not done");
    return end == CALC_DONE ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum outcome share(struct job *job, int *device) {
    bool peers;
    if (session_devices_idle(job->device, &peers) < CALC_HALVES || !peers ||
        !thread_pool_try(CALC_HALVES, run_share, job))
        return OUTCOME_NONE;
    return end(job, device);
}

enum outcome composition_in_shares(void (*work)(struct calc *c, void *argument), void *argument,
                                   size_t size, size_t bytes, int *device) {
    struct job job = {.bytes = bytes};
    struct signal_guard guard;
    enum outcome outcome = OUTCOME_NONE;
    *device = SESSION_ANY;
    if (size > COMPOSITION_ARGUMENT)
        return OUTCOME_NONE;
    signal_guard_begin(&guard);
    if (sharing_begin()) {
        begin(&job, work, argument, size);
        outcome = share(&job, device);
        sharing_end();
    }
    signal_guard_end(&guard);
    if (outcome == OUTCOME_DONE) {
        memcpy(argument, job.half[0].argument, size);
        stats_add(&job.times);
    }
    return outcome;
}
