/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation on the device: by a stream's thread, for a thread of the program. */
#include <stddef.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/started.h"
#include "lib/base/stats.h"
#include "lib/memory/pinned.h"
#include "lib/memory/segments.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/gate.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/session/gather_thread.h"
#include "lib/session/session.h"
#include "lib/session/session_state.h"
#include "lib/session/settle.h"
#include "lib/session/streams.h"
#include "lib/transfer/transfer.h"

enum { ALONE_SECONDS = 10 }; /* the longest wait for the other streams */

/* Bytes a second that the slowest device in use is sure to manage, a CPU or another. */
static const double slowest_cpu = 5e6, slowest = 1e8;

/* What an operation that failed has started uses buffers of ours, and the driver's libraries; if
 * it cannot be waited for, they are not to be used again, nor taken down. */
static bool end_work(struct context *s) {
    bool ended = settle(s) || settle(s); /* not for one call that fails */
    if (ended) {
        transfer_release(s->transfer);
    } else {
        gate_shut();
        atexit_guard_forbid();
    }
    return ended;
}

/* A failure while the program is ending is one by our own doing: a build was refused. */
enum outcome session_end_badly(struct context *s, enum gpu_status status) {
    if (shutdown_has_begun()) {
        end_work(s);
        return OUTCOME_NONE;
    }
    int level = status == GPU_NOMEM ? LOG_INFO : LOG_WARNING;
    mpgpu_log(level, "operation not done: %s: %s", gpu_status_text(status), gpu_error_text());
    bool ended = end_work(s);
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

/* The job of each stream's thread; it keeps its own if it never comes back.  Not from malloc: the
 * caller may be a handler of a signal that came inside malloc. */
static struct job {
    struct context *context;
    enum gpu_status (*work)(struct context *s, void *argument);
    int alone; /* all other streams are acquired: their memory is free */
    enum outcome outcome;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char argument[SESSION_ARGUMENT];
} jobs[STREAMS_MOST] LARGE_ZERO;

static void trim_all(void) {
    for (int i = 0; i < STREAMS_MOST; i++)
        context_trim(&streams_get(i)->context);
    gather_thread_trim();
}

/* In the stream's thread. */
static void run_job(void *argument) {
    struct job *job = argument;
    stats_begin(); /* what a stream's opening has taken is no call's */
    if (job->alone)
        trim_all();
    transfer_share(job->context->transfer, streams_busy() > 1);
    enum gpu_status status = job->work(job->context, job->argument);
    job->outcome = status == GPU_OK ? OUTCOME_DONE : session_end_badly(job->context, status);
    if (status == GPU_OK)
        context_tell(job->context);
    if (session_is_open() && settle_and_wipe(job->context) != GPU_OK)
        session_fault();
    job->times = stats_times;
}

static double limit(const struct context *s, size_t bytes) {
    double rate = s->dev.caps.is_cpu ? slowest_cpu : slowest;
    return mpgpu_conf.watchdog == 0 ? 0 : mpgpu_conf.watchdog + (double)bytes / rate;
}

/* What a thread of the program wants done. */
struct request {
    enum gpu_status (*work)(struct context *s, void *argument);
    void *argument;
    size_t size;  /* of the argument */
    size_t bytes; /* of the operation */
    int alone;
    int rescue; /* whether the device is in use or left alone */
};

/* In that stream, which the caller has acquired; OUTCOME_FAILED if its thread does not come back.
 */
static enum outcome run_in(const struct request *request, struct stream *stream) {
    struct job *job = &jobs[stream - streams_get(0)];
    if (!session_is_open() && !request->rescue)
        return OUTCOME_NONE;
    job->context = &stream->context;
    job->work = request->work;
    job->alone = request->alone;
    memcpy(job->argument, request->argument, request->size);
    executor_post(stream->executor, run_job, job);
    if (!executor_wait(stream->executor, limit(&stream->context, request->bytes))) {
        session_abandon();
        return OUTCOME_FAILED;
    }
    if (job->outcome != OUTCOME_MEMORY)
        memcpy(request->argument, job->argument, request->size);
    stats_add(&job->times);
    return job->outcome;
}

/* In any stream.  Where no stream comes free, no thread is left that would abandon the device. */
static enum outcome run_in_any(const struct request *request) {
    struct stream *stream = streams_acquire_one(mpgpu_conf.watchdog);
    if (!stream) {
        session_abandon();
        return OUTCOME_FAILED;
    }
    enum outcome outcome = run_in(request, stream);
    streams_release_one(stream, true);
    return outcome;
}

/* As run_in, with the memory of all streams. */
static enum outcome run_alone(struct request *request) {
    if (!session_acquire_all(ALONE_SECONDS))
        return OUTCOME_MEMORY;
    request->alone = 1;
    enum outcome outcome = run_in(request, streams_get(0));
    session_release_all();
    return outcome;
}

static enum outcome submit(struct request *request) {
    enum outcome outcome = session_question();
    if (outcome != OUTCOME_DONE)
        return outcome;
    outcome = run_in_any(request);
    bool has_others = streams_count() > 1 || gather_thread_is_open();
    bool again = outcome == OUTCOME_MEMORY && has_others && session_is_open();
    return again ? run_alone(request) : outcome;
}

enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes) {
    struct request request = {.work = work, .argument = argument, .size = size, .bytes = bytes};
    struct signal_guard before;
    if (size > SESSION_ARGUMENT)
        return OUTCOME_MEMORY;
    signal_guard_begin(&before);
    enum outcome outcome = submit(&request);
    signal_guard_end(&before);
    return outcome;
}

/* A device that does not answer has shut the gate. */
static enum outcome rescue(struct request *request) {
    if (!session_answers())
        return OUTCOME_NONE;
    return run_in_any(request);
}

enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes) {
    enum outcome outcome = session_run(work, argument, size, bytes);
    struct request request = {
        .work = work, .argument = argument, .size = size, .bytes = bytes, .rescue = 1};
    struct signal_guard before;
    if (outcome != OUTCOME_NONE)
        return outcome;
    signal_guard_begin(&before);
    outcome = rescue(&request);
    signal_guard_end(&before);
    return outcome;
}

static enum gpu_status unpin(struct context *s, void *segment) {
    pinned_release(&s->dev, *(size_t *)segment);
    return GPU_OK;
}

bool session_unlock_segment(size_t segment) {
    return session_run(unpin, &segment, sizeof segment, SEGMENT_BYTES) == OUTCOME_DONE;
}
