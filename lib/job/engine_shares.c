/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices: each does all of it but of long products and operands,
 * of which it makes or brings a half (lib/calc/calc_pair.h).
 *
 * Both check all that they have, and that they had the same operands.  Where a check fails it is
 * not known whose half was wrong: so that is no device's fault, and one device does the operation
 * once more.  What a device is asked for and does not do is its own fault, as ever.  A device that
 * does not answer is given up by its own watchdog; the other, which waits for it, hears of that,
 * and ends. */
#include "lib/job/engine_shares.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_pair.h"
#include "lib/operate/shares/sharing.h"
#include "lib/process/signal_guard.h"
#include "lib/process/thread_pool.h"
#include "lib/session/session.h"
#include "lib/session/settle.h"
#include "lib/transfer/far.h"

/* An operation's longest product has to be so many times as long as a product from host memory,
 * which gains the other device's link too (doc/design/scale.md); its other products less. */
enum { TIMES = 8, TIMES_OF_OTHERS = 4, LIMB_WORDS = 2 };

/* It outlasts an answer that comes too late: then nothing is shared any more. */
static struct calc_pair pair;

/* The device's thread gets a copy of what is before the job's expression. */
struct half {
    unsigned half;
    enum calc_end end;
    struct job job;
};
#define HALF_BYTES (offsetof(struct half, job) + offsetof(struct job, e))
_Static_assert(HALF_BYTES <= SESSION_ARGUMENT, "see session_run");

struct sharing {
    struct far_caller *caller; /* in another process, or NULL */
    unsigned device[SESSION_DEVICES];
    size_t bytes;
    struct half half[CALC_HALVES];
    enum outcome outcome[CALC_HALVES];
    struct stats_times times; /* the first one's */
};

bool engine_may_share(const struct job *job) {
    size_t least = sharing_limbs(), limbs = job_longest(job);
    return limbs > 0 && least <= MPGPU_NEVER / TIMES && limbs >= TIMES * least &&
           sharing_is_allowed();
}

/* Of a device that was given up nothing is begun late, nor once more where memory lacked. */
static enum gpu_status run_half(struct context *s, void *argument) {
    struct half *h = argument;
    h->end = CALC_UNDONE;
    if (calc_pair_is_gone(&pair, h->half))
        return GPU_OK;
    enum gpu_status status = calc_run_half(s, job_work, &h->job, &pair, h->half, &h->end);
    calc_pair_leave(&pair, h->half);
    return status == GPU_OK && h->end != CALC_DONE && !settle(s) ? GPU_FAILED : status;
}

/* In a thread of the program's side. */
static void run_share(void *argument, unsigned i) {
    struct sharing *k = argument;
    struct far_caller *others = far_here();
    struct stats_times before = *stats_here();
    int bound = session_bind((int)k->device[i]);
    stats_begin();
    session_go_on(false);
    k->outcome[i] = far_set(k->caller, i)
                        ? session_run(run_half, &k->half[i], HALF_BYTES, k->bytes)
                        : OUTCOME_MEMORY;
    calc_pair_leave(&pair, i);
    far_set(others, i);
    session_bind(bound);
    if (i == 0)
        k->times = *stats_here();
    *stats_here() = before;
}

static void begin(struct sharing *k, const struct job *job) {
    for (unsigned i = 0; i < CALC_HALVES; i++)
        k->half[i] = (struct half){.half = i, .job = *job};
    uint64_t words = LIMB_WORDS * (uint64_t)sharing_limbs();
    calc_pair_begin(&pair, TIMES_OF_OTHERS * words, words);
}

/* How both have ended.  Where one has not, what the other has made of its halves may be wrong. */
static enum calc_end end_of(const struct sharing *k) {
    enum calc_end least = CALC_DONE;
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        enum calc_end end = k->outcome[i] == OUTCOME_DONE ? k->half[i].end : CALC_UNDONE;
        least = end < least ? end : least;
    }
    return least;
}

/* The memory that they offer is kept where a device has not answered. */
static enum outcome end(const struct sharing *k, int *device) {
    enum calc_end end = end_of(k);
    if (!sharing_is_over())
        calc_pair_forget(&pair);
    for (unsigned i = 0; i < CALC_HALVES; i++)
        if (k->outcome[i] == OUTCOME_DONE)
            *device = (int)k->device[i];
    if (end == CALC_WRONG_RESULT)
        sharing_count_wrong();
    mpgpu_log(LOG_DETAIL, "a composite operation on two devices: %s",
              end == CALC_DONE ? "done" : "not done");
    return end == CALC_DONE ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum outcome share(struct sharing *k, int *device) {
    bool peers;
    if (session_devices_idle(k->device, &peers) < CALC_HALVES || !peers ||
        !thread_pool_try(CALC_HALVES, run_share, k))
        return OUTCOME_NONE;
    return end(k, device);
}

enum outcome engine_run_shared(struct job *job, size_t bytes, int *device) {
    struct sharing k = {.caller = far_here(), .bytes = bytes};
    struct signal_guard guard;
    enum outcome outcome = OUTCOME_NONE;
    *device = SESSION_ANY;
    signal_guard_begin(&guard);
    if (sharing_begin()) {
        begin(&k, job);
        outcome = share(&k, device);
        sharing_end();
    }
    signal_guard_end(&guard);
    if (outcome == OUTCOME_DONE) {
        *job = k.half[0].job;
        stats_add(&k.times);
    }
    return outcome;
}
