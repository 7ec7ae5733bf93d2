/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation on the device: by a lane's thread, for a thread of the program. */
#include "lib/device/session.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/process/gate.h"
#include "lib/session/lanes.h"
#include "lib/process/leaving.h"
#include "lib/base/log.h"
#include "lib/process/manners.h"
#include "lib/session/session_state.h"
#include "lib/base/stats.h"
#include "lib/process/takedown.h"
#include "lib/transfer/transfer.h"

enum { ALONE_SECONDS = 10 }; /* the longest wait for the other lanes */

/* Bytes a second that the slowest device in use is sure to manage, a CPU or another. */
static const double slowest_cpu = 5e6, slowest = 1e8;

int session_settle(struct session *s) {
    int finished = s->queue.impl ? gpu_finish(&s->queue) : GPU_OK;
    int settled = s->transfer ? transfer_settle(s->transfer) : GPU_OK;
    return finished == GPU_OK && settled == GPU_OK;
}

/* What an operation that failed has started uses buffers of ours, and the driver's libraries; if
 * it cannot be waited for, they are not to be used again, nor taken down. */
static int settle(struct session *s) {
    int ended = session_settle(s) || session_settle(s); /* not for one call that fails */
    if (ended) {
        transfer_end_loans(s->transfer);
    } else {
        gate_shut();
        takedown_forbid();
    }
    return ended;
}

/* After an operation that failed. */
static enum mpgpu_why end_badly(struct session *s, int status) {
    int level = status == GPU_NOMEM ? LOG_INFO : LOG_WARNING;
    mpgpu_log(level, "operation not done: %s: %s", gpu_status_text(status), gpu_error_text());
    int ended = settle(s);
    if (status != GPU_NOMEM)
        session_fault();
    if (s->unfit)
        session_leave_alone("it failed a known-answer test");
    else if (!ended)
        session_leave_alone("it does not come to an end");
    else if (status == GPU_NOMEM)
        session_trim(s);
    return status == GPU_NOMEM ? WHY_MEMORY : WHY_FAILED;
}

/* What is given to a lane's thread, one for each lane: it stays as it is if that does not come
 * back.  Not from malloc: the caller may be a handler of a signal that came inside malloc. */
static struct order {
    struct session *session;
    int (*work)(struct session *s, void *context);
    int alone; /* the other lanes are held: their memory may be had */
    enum mpgpu_why why;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char context[SESSION_CONTEXT];
} orders[LANES_MOST];

static void trim_all(void) {
    for (int i = 0; i < LANES_MOST; i++)
        session_trim(&lanes_get(i)->session);
}

/* A failure while the program is ending is one by our own doing: a build was refused. */
static enum mpgpu_why end(struct session *s, int status) {
    if (status == GPU_OK)
        return WHY_DONE;
    if (!leaving_now())
        return end_badly(s, status);
    settle(s);
    return WHY_NONE;
}

/* In the lane's thread. */
static void carry_out(void *argument) {
    struct order *order = argument;
    stats_begin(); /* what a lane's opening has taken is no call's */
    if (order->alone)
        trim_all();
    int status = order->work(order->session, order->context);
    order->why = end(order->session, status);
    if (session_is_open() && session_wipe(order->session) != GPU_OK)
        session_fault();
    order->times = stats_times;
}

static double limit(const struct session *s, size_t bytes) {
    double rate = s->dev.caps.is_cpu ? slowest_cpu : slowest;
    return mpgpu_conf.watchdog == 0 ? 0 : mpgpu_conf.watchdog + (double)bytes / rate;
}

/* What a thread of the program wants done. */
struct wish {
    int (*work)(struct session *s, void *context);
    void *context;
    size_t size;  /* of the context */
    size_t bytes; /* of the operation */
    int alone;
    int rescue; /* whether the device is in use or left alone */
};

/* In that lane, which the caller holds; WHY_FAILED if its thread does not come back. */
static enum mpgpu_why have_done(const struct wish *wish, struct lane *lane) {
    struct order *order = &orders[lane - lanes_get(0)];
    if (!session_is_open() && !wish->rescue)
        return WHY_NONE;
    order->session = &lane->session;
    order->work = wish->work;
    order->alone = wish->alone;
    memcpy(order->context, wish->context, wish->size);
    executor_post(lane->executor, carry_out, order);
    if (!executor_wait(lane->executor, limit(&lane->session, wish->bytes))) {
        session_abandon();
        return WHY_FAILED;
    }
    if (order->why != WHY_MEMORY)
        memcpy(wish->context, order->context, wish->size);
    stats_add(&order->times);
    return order->why;
}

/* In any lane.  A thread that has one and waits gives the device up itself where that does not
 * answer; such a thread is gone where no lane comes free. */
static enum mpgpu_why have_done_in_lane(const struct wish *wish) {
    struct lane *lane = lane_take(wish->bytes, mpgpu_conf.watchdog);
    if (!lane) {
        session_abandon();
        return WHY_FAILED;
    }
    enum mpgpu_why why = have_done(wish, lane);
    lane_leave(lane, 1);
    return why;
}

/* As have_done, with the memory of all lanes. */
static enum mpgpu_why have_done_alone(struct wish *wish) {
    if (!lanes_hold(ALONE_SECONDS))
        return WHY_MEMORY;
    wish->alone = 1;
    enum mpgpu_why why = have_done(wish, lanes_get(0));
    lanes_let_go();
    return why;
}

static enum mpgpu_why give(struct wish *wish) {
    enum mpgpu_why why = session_question();
    if (why != WHY_DONE)
        return why;
    why = have_done_in_lane(wish);
    return why == WHY_MEMORY && lanes_count() > 1 ? have_done_alone(wish) : why;
}

enum mpgpu_why session_run(int (*work)(struct session *s, void *context), void *context,
                           size_t size, size_t bytes) {
    struct wish wish = {.work = work, .context = context, .size = size, .bytes = bytes};
    struct manners before;
    if (size > SESSION_CONTEXT)
        return WHY_MEMORY;
    manners_begin(&before);
    enum mpgpu_why why = give(&wish);
    manners_end(&before);
    return why;
}

/* A device that does not answer has shut the gate. */
static enum mpgpu_why rescue(struct wish *wish) {
    if (!session_answers())
        return WHY_NONE;
    return have_done_in_lane(wish);
}

enum mpgpu_why session_rescue(int (*work)(struct session *s, void *context), void *context,
                              size_t size, size_t bytes) {
    enum mpgpu_why why = session_run(work, context, size, bytes);
    struct wish wish = {
        .work = work, .context = context, .size = size, .bytes = bytes, .rescue = 1};
    struct manners before;
    if (why != WHY_NONE)
        return why;
    manners_begin(&before);
    why = rescue(&wish);
    manners_end(&before);
    return why;
}
