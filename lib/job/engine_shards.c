/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs one composite operation on two devices. Each device computes the whole operation, with two
 * exceptions: it computes only one half of a long product, and uploads only one half of a long
 * operand. It copies the missing half from the other device (lib/calc/calc_shard.h). Both devices
 * check all their results, and compare the residues of their operands. If a check fails, either
 * device may be wrong: the library counts no fault, and one device repeats the operation. If a
 * driver call of a device fails, the library counts a fault of this device. If a device does not
 * answer, the watchdog abandons it. The other device, which waits for a half, then gives up. */
#include "lib/job/engine_shards.h"

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_shard.h"
#include "lib/operate/shards/sharding.h"
#include "lib/process/signal_guard.h"
#include "lib/process/thread_pool.h"
#include "lib/session/session.h"
#include "lib/session/drain.h"
#include "lib/transfer/far.h"

/* Two devices compute an operation together if its longest product has at least TIMES times
 * sharding_limbs() limbs. They share its products of at least TIMES_OF_OTHERS times
 * sharding_limbs() limbs. */
enum { TIMES = 8, TIMES_OF_OTHERS = 4, LIMB_WORDS = 2 };

/* The state of the shared operation; there is at most one at a time. The state is static, because a
 * device that the watchdog has abandoned may still access it. After that, no operation is shared
 * any more. */
static struct calc_shard pair;

/* The argument of run_half. Only its first HALF_BYTES bytes are copied to the device's thread: all
 * members except the job's expression, which is last. */
struct half {
    unsigned half;
    enum calc_end end;
    struct job job;
};
#define HALF_BYTES (offsetof(struct half, job) + offsetof(struct job, e))
_Static_assert(HALF_BYTES <= SESSION_ARGUMENT, "see session_run");

struct sharing {
    struct far_caller *caller; /* the job's caller if it is in another process, otherwise NULL */
    unsigned device[SESSION_DEVICES];
    size_t bytes;
    struct half half[CALC_HALVES];
    enum outcome outcome[CALC_HALVES];
    struct stats_times times; /* statistics of the device that computes half[0] */
};

bool engine_may_shard(const struct job *job) {
    size_t least = sharding_limbs(), limbs = job_longest(job);
    return limbs > 0 && least <= MPGPU_NEVER / TIMES && limbs >= TIMES * least &&
           sharding_is_allowed();
}

/* Computes one half in the device's thread. Does nothing after calc_shard_leave for this half: the
 * watchdog has then abandoned the device, or memory was short. */
static enum gpu_status run_half(struct context *s, void *argument) {
    struct half *h = argument;
    h->end = CALC_UNDONE;
    if (calc_shard_is_gone(&pair, h->half))
        return GPU_OK;
    enum gpu_status status = calc_run_half(s, job_work, &h->job, &pair, h->half, &h->end);
    calc_shard_leave(&pair, h->half);
    return status == GPU_OK && h->end != CALC_DONE && !drain_work(s) ? GPU_FAILED : status;
}

/* Runs half i of the operation on its device k->device[i], in a pool thread or in the calling
 * thread. */
static void run_shard(void *argument, unsigned i) {
    struct sharing *k = argument;
    struct far_caller *others = far_here();
    struct stats_times before = *stats_here();
    int bound = session_bind((int)k->device[i]);
    stats_begin();
    session_set_counted(false);
    k->outcome[i] = far_set(k->caller, i) ? session_run(run_half, &k->half[i], HALF_BYTES, k->bytes)
                                          : OUTCOME_MEMORY;
    calc_shard_leave(&pair, i);
    far_set(others, i);
    session_bind(bound);
    if (i == 0)
        k->times = *stats_here();
    *stats_here() = before;
}

static void begin(struct sharing *k, const struct job *job) {
    for (unsigned i = 0; i < CALC_HALVES; i++)
        k->half[i] = (struct half){.half = i, .job = *job};
    uint64_t words = LIMB_WORDS * (uint64_t)sharding_limbs();
    calc_shard_begin(&pair, TIMES_OF_OTHERS * words, words);
}

/* Returns the worse of both halves' results, because a device that did not finish may have passed
 * wrong data to the other one. */
static enum calc_end end_of(const struct sharing *k) {
    enum calc_end least = CALC_DONE;
    for (unsigned i = 0; i < CALC_HALVES; i++) {
        enum calc_end end = k->outcome[i] == OUTCOME_DONE ? k->half[i].end : CALC_UNDONE;
        least = end < least ? end : least;
    }
    return least;
}

/* Ends the sharing and sets *device to a device that has not failed. Each device has offered device
 * memory to the other for copying; if a device has not answered, that memory is not freed. */
static enum outcome end(const struct sharing *k, int *device) {
    enum calc_end end = end_of(k);
    if (!sharding_is_over())
        calc_shard_forget(&pair);
    for (unsigned i = 0; i < CALC_HALVES; i++)
        if (k->outcome[i] == OUTCOME_DONE)
            *device = (int)k->device[i];
    if (end == CALC_WRONG_RESULT)
        sharding_count_wrong();
    mpgpu_log(LOG_DETAIL, "a composite operation on two devices: %s",
              end == CALC_DONE ? "done" : "not done");
    return end == CALC_DONE ? OUTCOME_DONE : OUTCOME_NONE;
}

static enum outcome shard(struct sharing *k, int *device) {
    bool peers;
    if (session_devices_idle(k->device, &peers) < CALC_HALVES || !peers ||
        !thread_pool_try(CALC_HALVES, run_shard, k))
        return OUTCOME_NONE;
    return end(k, device);
}

enum outcome engine_run_sharded(struct job *job, size_t bytes, int *device) {
    struct sharing k = {.caller = far_here(), .bytes = bytes};
    struct signal_guard guard;
    enum outcome outcome = OUTCOME_NONE;
    *device = SESSION_ANY;
    signal_guard_begin(&guard);
    if (sharding_begin()) {
        begin(&k, job);
        outcome = shard(&k, device);
        sharding_end();
    }
    signal_guard_end(&guard);
    if (outcome == OUTCOME_DONE) {
        *job = k.half[0].job;
        stats_add(&k.times);
    }
    return outcome;
}
