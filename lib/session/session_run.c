/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation on the device: by a lane's thread, for a thread of the program. */
#include "lib/device/context.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/process/gate.h"
#include "lib/session/streams.h"
#include "lib/process/shutdown.h"
#include "lib/base/log.h"
#include "lib/process/signal_guard.h"
#include "lib/session/session_state.h"
#include "lib/base/stats.h"
#include "lib/process/atexit_guard.h"
#include "lib/transfer/transfer.h"

enum { ALONE_SECONDS = 10 }; /* the longest wait for the other lanes */

/* Bytes a second that the slowest device in use is sure to manage, a CPU or another. */
static const double slowest_cpu = 5e6, slowest = 1e8;

int session_settle(struct context *s) {
    int finished = s->queue.impl ? gpu_finish(&s->queue) : GPU_OK;
    int settled = s->transfer ? transfer_settle(s->transfer) : GPU_OK;
    return finished == GPU_OK && settled == GPU_OK;
}

/* What an operation that failed has started uses buffers of ours, and the driver's libraries; if
 * it cannot be waited for, they are not to be used again, nor taken down. */
static int settle(struct context *s) {
    int ended = session_settle(s) || session_settle(s); /* not for one call that fails */
    if (ended) {
        transfer_release(s->transfer);
    } else {
        gate_shut();
        atexit_guard_forbid();
    }
    return ended;
}

/* After an operation that failed. */
static enum outcome end_badly(struct context *s, int status) {
    int level = status == GPU_NOMEM ? LOG_INFO : LOG_WARNING;
    mpgpu_log(level, "operation not done: %s: %s", gpu_status_text(status), gpu_error_text());
    int ended = settle(s);
    if (status != GPU_NOMEM)
        session_fault();
    if (s->failed)
        session_leave_alone("it failed a known-answer test");
    else if (!ended)
        session_leave_alone("it does not come to an end");
    else if (status == GPU_NOMEM)
        context_trim(s);
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* What is given to a lane's thread, one for each lane: it stays as it is if that does not come
 * back.  Not from malloc: the caller may be a handler of a signal that came inside malloc. */
static struct order {
    struct context *session;
    int (*work)(struct context *s, void *context);
    int alone; /* the other lanes are held: their memory may be had */
    enum outcome why;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char context[SESSION_ARGUMENT];
} orders[STREAMS_MOST];

static void trim_all(void) {
    for (int i = 0; i < STREAMS_MOST; i++)
        context_trim(&streams_get(i)->session);
}

/* A failure while the program is ending is one by our own doing: a build was refused. */
static enum outcome end(struct context *s, int status) {
    if (status == GPU_OK)
        return OUTCOME_DONE;
    if (!shutdown_has_begun())
        return end_badly(s, status);
    settle(s);
    return OUTCOME_NONE;
}

/* In the lane's thread. */
static void carry_out(void *argument) {
    struct order *order = argument;
    stats_begin(); /* what a lane's opening has taken is no call's */
    if (order->alone)
        trim_all();
    int status = order->work(order->session, order->context);
    order->why = end(order->session, status);
    if (session_is_open() && context_wipe(order->session) != GPU_OK)
        session_fault();
    order->times = stats_times;
}

static double limit(const struct context *s, size_t bytes) {
    double rate = s->dev.caps.is_cpu ? slowest_cpu : slowest;
    return mpgpu_conf.watchdog == 0 ? 0 : mpgpu_conf.watchdog + (double)bytes / rate;
}

/* What a thread of the program wants done. */
struct wish {
    int (*work)(struct context *s, void *context);
    void *context;
    size_t size;  /* of the context */
    size_t bytes; /* of the operation */
    int alone;
    int rescue; /* whether the device is in use or left alone */
};

/* In that lane, which the caller holds; OUTCOME_FAILED if its thread does not come back. */
static enum outcome have_done(const struct wish *wish, struct lane *lane) {
    struct order *order = &orders[lane - streams_get(0)];
    if (!session_is_open() && !wish->rescue)
        return OUTCOME_NONE;
    order->session = &lane->session;
    order->work = wish->work;
    order->alone = wish->alone;
    memcpy(order->context, wish->context, wish->size);
    executor_post(lane->executor, carry_out, order);
    if (!executor_wait(lane->executor, limit(&lane->session, wish->bytes))) {
        session_abandon();
        return OUTCOME_FAILED;
    }
    if (order->why != OUTCOME_MEMORY)
        memcpy(wish->context, order->context, wish->size);
    stats_add(&order->times);
    return order->why;
}

/* In any lane.  A thread that has one and waits gives the device up itself where that does not
 * answer; such a thread is gone where no lane comes free. */
static enum outcome have_done_in_lane(const struct wish *wish) {
    struct lane *lane = stream_acquire(wish->bytes, mpgpu_conf.watchdog);
    if (!lane) {
        session_abandon();
        return OUTCOME_FAILED;
    }
    enum outcome why = have_done(wish, lane);
    stream_release(lane, 1);
    return why;
}

/* As have_done, with the memory of all lanes. */
static enum outcome have_done_alone(struct wish *wish) {
    if (!streams_acquire(ALONE_SECONDS))
        return OUTCOME_MEMORY;
    wish->alone = 1;
    enum outcome why = have_done(wish, streams_get(0));
    streams_release();
    return why;
}

static enum outcome give(struct wish *wish) {
    enum outcome why = session_question();
    if (why != OUTCOME_DONE)
        return why;
    why = have_done_in_lane(wish);
    return why == OUTCOME_MEMORY && streams_count() > 1 ? have_done_alone(wish) : why;
}

enum outcome session_run(int (*work)(struct context *s, void *context), void *context,
                           size_t size, size_t bytes) {
    struct wish wish = {.work = work, .context = context, .size = size, .bytes = bytes};
    struct signal_guard before;
    if (size > SESSION_ARGUMENT)
        return OUTCOME_MEMORY;
    signal_guard_begin(&before);
    enum outcome why = give(&wish);
    signal_guard_end(&before);
    return why;
}

/* A device that does not answer has shut the gate. */
static enum outcome rescue(struct wish *wish) {
    if (!session_answers())
        return OUTCOME_NONE;
    return have_done_in_lane(wish);
}

enum outcome session_rescue(int (*work)(struct context *s, void *context), void *context,
                              size_t size, size_t bytes) {
    enum outcome why = session_run(work, context, size, bytes);
    struct wish wish = {
        .work = work, .context = context, .size = size, .bytes = bytes, .rescue = 1};
    struct signal_guard before;
    if (why != OUTCOME_NONE)
        return why;
    signal_guard_begin(&before);
    why = rescue(&wish);
    signal_guard_end(&before);
    return why;
}
