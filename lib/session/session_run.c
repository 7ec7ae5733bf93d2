/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs one operation on a device for a thread of the program, which waits while the stream's
 * thread does the work. */
#include "lib/session/session_run.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/memory/pinned.h"
#include "lib/memory/segments.h"
#include "lib/process/interrupted.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/session/coalesce.h"
#include "lib/session/session_choose.h"
#include "lib/session/session_question.h"
#include "lib/session/drain.h"
#include "lib/transfer/far.h"
#include "lib/transfer/transfer.h"

/* most seconds to wait for other streams: in session_trim, and before an operation that needs all
 * streams */
enum { TRIM_SECONDS = 1, ALONE_SECONDS = 10 };

/* The least bytes per second that a CPU device (least_rate_of_cpu) and any other device
 * (least_rate) processes. They determine the time limit of an operation. */
static const double least_rate_of_cpu = 5e6, least_rate = 1e8;

/* set by session_run_here: operations run in the calling thread */
static bool runs_in_calling_thread;

void session_run_here(void) {
    runs_in_calling_thread = true;
}

static void trim_all(struct session_device *d) {
    for (int i = 0; i < STREAMS_MOST; i++)
        context_trim(&d->streams.stream[i].context);
    coalesce_trim(&d->coalesce);
}

void session_trim(void) {
    for (unsigned i = 0; i < session_devices_begun(); i++) {
        struct session_device *d = session_device(i);
        if (session_device_is_open(d) && session_device_acquire_all(d, TRIM_SECONDS)) {
            trim_all(d);
            session_device_release_all(d);
        }
    }
}

static enum gpu_status run_job_work(struct session_job *job) {
    struct session_device *d = job->stream->device;
    if (job->alone)
        trim_all(d);
    transfer_share(job->context->transfer, (unsigned)streams_busy(&d->streams));
    return job->work(job->context, job->argument);
}

/* Ends a job: handles its failure, clears its data, and counts its times. A job that its caller has
 * abandoned (GPU_LEFT) counts as no fault. */
static void finish_job(struct session_job *job, enum gpu_status status) {
    struct session_device *d = job->stream->device;
    job->outcome =
        status == GPU_OK ? OUTCOME_DONE : session_device_end_badly(d, job->context, status);
    session_device_count_there(job->context);
    if (session_device_is_open(d) && drain_and_wipe(job->context) != GPU_OK)
        session_device_fault(d);
    job->times = *stats_here();
}

/* Ends a job that has run in the calling thread. */
static void end_job_of_caller(struct session_job *job, enum gpu_status status) {
    lease_end(&job->stream->lease);
    finish_job(job, status);
}

/* Runs a job in the stream's thread. Afterwards the caller releases the streams that it has
 * acquired. If the caller has abandoned the job, the stream's thread releases them. */
static void run_job(void *argument) {
    struct session_job *job = argument;
    struct stream *stream = job->stream;
    stats_begin(); /* discards the times of opening the stream, which belong to no call */
    enum gpu_status status = run_job_work(job);
    status = status == GPU_OK || lease_end(&stream->lease) ? status : GPU_LEFT;
    finish_job(job, status);
    const bool has_left = status == GPU_LEFT || (status == GPU_OK && !lease_end(&stream->lease));
    if (!has_left)
        return;
    lease_reuse(&stream->lease);
    if (job->alone)
        session_device_release_all(stream->device);
    else
        streams_release_one(&stream->device->streams, stream, true);
}

static double watchdog_seconds(const struct context *s, size_t bytes) {
    double rate = s->dev.caps.is_cpu ? least_rate_of_cpu : least_rate;
    return mpgpu_conf.watchdog == 0 ? 0 : mpgpu_conf.watchdog + (double)bytes / rate;
}

/* A request: an operation that a thread of the program wants to run. */
struct request {
    enum gpu_status (*work)(struct context *s, void *argument);
    void *argument;
    size_t size;  /* of the argument */
    size_t bytes; /* of the operation */
    int alone;
    int rescue; /* the request may run on a device that the library has stopped using */
    /* the operation must not be repeated, even if a signal handler took too long during it */
    bool is_once;
    bool is_job;     /* as session_run_job */
    bool is_patient; /* as lease_begin */
    bool is_gone;    /* the thread has lost its stream, because a signal handler took too long */
    bool is_spoilt;  /* the program's memory may contain incomplete results */
};

/* ---- what a thread releases before it runs a signal handler of the program */

/* The job whose lease (permission to access memory) this thread has suspended last before a signal
 * handler. If the handler left by longjmp, the thread's next call ends this job. */
static THREAD_MEMORY struct suspended {
    struct lease *lease;
    unsigned state;
} suspended;

bool session_run_is_suspended(void) {
    const struct suspended *latest = THREAD_MEMORY_FIND(suspended);
    return latest && latest->lease && interrupted();
}

enum outcome session_run_leave(void) {
    struct suspended *latest = THREAD_MEMORY_FIND(suspended);
    if (!latest || !latest->lease)
        return OUTCOME_DONE;
    if (interrupted())
        return OUTCOME_BUSY;
    lease_revoke(latest->lease, latest->state);
    latest->lease = NULL;
    return OUTCOME_DONE;
}

/* A thread's wait for one job. */
struct job_wait {
    struct stream *stream;
    struct request *request;
    struct suspended mine, before;
    struct signal_window window;
};

static void set_acquired(const struct request *request, bool is_acquired) {
    if (request->alone)
        session_device_set_held(is_acquired);
    streams_set_acquired(is_acquired);
}

static bool suspend_lease(void *wait) {
    struct job_wait *w = wait;
    struct suspended *latest = THREAD_MEMORY_GET(suspended);
    w->mine.lease = &w->stream->lease;
    /* If another process may be writing to this program's memory now, refuses to run the signal
     * handler: only this thread can notify that process. */
    if (context_runs_jobs(&w->stream->context) && atomic_load(&w->mine.lease->inside) > 0)
        return false;
    if (!latest || !lease_suspend(w->mine.lease, &w->mine.state))
        return false;
    w->before = *latest;
    *latest = w->mine;
    set_acquired(w->request, false);
    return true;
}

static bool resume_lease(void *wait) {
    struct job_wait *w = wait;
    /* the pointer is not NULL, because suspend_lease has allocated the thread's variable */
    *THREAD_MEMORY_FIND(suspended) = w->before;
    w->request->is_gone = !lease_resume(w->mine.lease, w->mine.state);
    if (w->request->is_gone)
        w->request->is_spoilt = lease_has_written(w->mine.lease, w->mine.state);
    else
        set_acquired(w->request, true);
    return !w->request->is_gone;
}

static void open_window(struct job_wait *w) {
    w->window = (struct signal_window){.suspend = suspend_lease, .resume = resume_lease, .of = w};
    signal_guard_push(&w->window);
}

/* Waits for a job, and returns true when the job has ended. Also waits if the thread has lost the
 * job because a signal handler took too long: the job may use memory that the caller would free. */
static bool wait_for_job(struct request *request, struct stream *stream) {
    double seconds = stream->device->jobs[stream - stream->device->streams.stream].seconds;
    unsigned job = executor_posted(stream->executor);
    struct job_wait w = {.stream = stream, .request = request};
    open_window(&w);
    bool has_ended = executor_wait_for_job(stream->executor, job, seconds);
    signal_guard_pop(&w.window);
    return request->is_gone ? executor_wait_for_job(stream->executor, job, seconds) : has_ended;
}

/* Runs a job in the server, and answers the server's requests during the wait. Does not wait for a
 * job that the thread has lost because a signal handler took too long: such a job no longer uses
 * this process's memory. */
static bool run_job_in_server(struct request *request, struct stream *stream,
                              struct session_job *job) {
    struct job_wait w = {.stream = stream, .request = request};
    job->context->seconds = job->seconds;
    open_window(&w);
    enum gpu_status status = run_job_work(job);
    signal_guard_pop(&w.window);
    if (request->is_gone || status == GPU_LEFT)
        return request->is_gone;
    end_job_of_caller(job, status);
    return true;
}

/* Handles a failed wait: either the device does not answer, or this process is a child of fork. */
static enum outcome handle_failed_wait(struct request *request, struct session_device *d) {
    request->is_gone |= signal_guard_is_in_child();
    if (!signal_guard_is_in_child())
        session_device_abandon(d);
    return OUTCOME_FAILED;
}

/* ---- */

/* Runs the job in the calling thread, in the server or in the stream's thread, and waits for its
 * end. Returns false if the device does not answer. */
static bool run_or_wait(struct request *request, struct stream *stream, struct session_job *job) {
    if (runs_in_calling_thread) {
        end_job_of_caller(job, run_job_work(job));
        return true;
    }
    if (context_runs_jobs(&stream->context))
        return run_job_in_server(request, stream, job);
    executor_post(stream->executor, run_job, job);
    return wait_for_job(request, stream);
}

/* Runs the request in this stream, which the caller has acquired. Returns OUTCOME_FAILED if the
 * job does not end in time. */
static enum outcome run_request_in_stream(struct request *request, struct stream *stream) {
    struct session_device *d = stream->device;
    struct session_job *job = &d->jobs[stream - d->streams.stream];
    if (!session_device_is_open(d) && (!request->rescue || access_guard_is_closed(&d->guard)))
        return OUTCOME_NONE;
    job->stream = stream;
    job->context = &stream->context;
    job->work = request->work;
    job->alone = request->alone;
    job->seconds = watchdog_seconds(&stream->context, request->bytes);
    memcpy(job->argument, request->argument, request->size);
    lease_begin(&stream->lease, request->is_patient);
    if (!run_or_wait(request, stream, job))
        return handle_failed_wait(request, d);
    if (request->is_gone)
        return OUTCOME_FAILED;
    if (job->outcome != OUTCOME_MEMORY)
        memcpy(request->argument, job->argument, request->size);
    if (!runs_in_calling_thread && !context_runs_jobs(&stream->context))
        stats_add(&job->times);
    return job->outcome;
}

/* Waits for jobs that their callers have abandoned because a signal handler took too long. Such
 * jobs may still write device memory that this request uses. */
static bool await_abandoned(struct session_device *d) {
    bool has_ended = true;
    for (int i = 0; i < STREAMS_MOST && has_ended; i++) {
        struct stream *stream = &d->streams.stream[i];
        if (!lease_is_abandoned(&stream->lease))
            continue;
        has_ended = context_runs_jobs(&stream->context)
                        ? streams_await_reaped(&d->streams, stream, d->jobs[i].seconds)
                        : executor_wait_for_job(stream->executor, executor_posted(stream->executor),
                                                d->jobs[i].seconds);
    }
    return has_ended;
}

/* Acquires a stream and runs the request in it. If no stream becomes free in time, the device does
 * not answer, and the library stops using it. */
static enum outcome run_request_in_free_stream(struct request *request, struct session_device *d) {
    bool is_alone = !request->is_patient || await_abandoned(d);
    struct stream *stream =
        is_alone
            ? streams_acquire_one(&d->streams, runs_in_calling_thread ? 0 : mpgpu_conf.watchdog)
            : NULL;
    if (!stream)
        return handle_failed_wait(request, d);
    enum outcome outcome = run_request_in_stream(request, stream);
    if (!request->is_gone)
        streams_release_one(&d->streams, stream, true);
    return outcome;
}

/* Acquires all streams, so that the request can use all their memory, and runs the request in the
 * first stream. */
static enum outcome run_request_in_all_streams(struct request *request, struct session_device *d) {
    if (!session_device_acquire_all(d, ALONE_SECONDS))
        return OUTCOME_MEMORY;
    request->alone = 1;
    enum outcome outcome = run_request_in_stream(request, &d->streams.stream[0]);
    if (!request->is_gone)
        session_device_release_all(d);
    return outcome;
}

static enum outcome run_request_on_device(struct request *request, struct session_device *d) {
    enum outcome outcome = run_request_in_free_stream(request, d);
    bool has_others = streams_count(&d->streams) > 1 || coalesce_is_open(&d->coalesce);
    /* A client that has its own memory limit gains nothing if other contexts release memory,
     * because only the client's own memory counts. */
    const bool has_limit = far_here() && conf_job().memory != mpgpu_conf.memory;
    bool again = outcome == OUTCOME_MEMORY && has_others && !has_limit && session_device_is_open(d);
    return again ? run_request_in_all_streams(request, d) : outcome;
}

/* Runs the request on the device that is expected to finish first. If the library stops using this
 * device during the wait, tries another device. */
static enum outcome submit_request(struct request *request) {
    struct session_choice c;
    enum outcome outcome;
    do {
        outcome = session_question();
        if (outcome != OUTCOME_DONE)
            return outcome;
        session_choose(&c, request->bytes, request->is_job);
        if (!c.device)
            return OUTCOME_NONE;
        signal_guard_push(&c.window);
        outcome = run_request_on_device(request, c.device);
        signal_guard_pop(&c.window);
        session_choose_end(&c, outcome);
    } while (outcome == OUTCOME_NONE && session_bound() == SESSION_ANY &&
             session_devices_in(SESSION_READY) > 0);
    return outcome;
}

/* Runs the request. If a signal handler of the program took too long during it, runs it once
 * more. */
static enum outcome submit_or_repeat_request(struct request *request, struct signal_guard *guard) {
    signal_guard_let_in(guard);
    enum outcome outcome = submit_request(request);
    if (!request->is_gone || request->is_spoilt || request->is_once || signal_guard_is_in_child())
        return outcome;
    request->is_gone = false;
    request->is_patient = true;
    request->alone = 0;
    return submit_request(request);
}

static enum outcome run_request_guarded(struct request *request) {
    struct signal_guard before;
    if (request->size > SESSION_ARGUMENT)
        return OUTCOME_MEMORY;
    signal_guard_begin(&before);
    request->is_patient = session_bound() != SESSION_ANY;
    enum outcome outcome = submit_or_repeat_request(request, &before);
    signal_guard_end(&before);
    return outcome;
}

enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes) {
    struct request request = {.work = work, .argument = argument, .size = size, .bytes = bytes};
    return run_request_guarded(&request);
}

enum outcome session_run_job(enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, size_t size, size_t bytes) {
    struct request request = {
        .work = work, .argument = argument, .size = size, .bytes = bytes, .is_job = true};
    return run_request_guarded(&request);
}

/* Runs the request on a device that the library may have stopped using. Fails if the device's
 * access guard was closed because the device did not answer. */
static enum outcome run_request_on_stopped_device(struct request *request) {
    bool any = session_bound() == SESSION_ANY;
    struct session_device *d =
        session_device(any ? session_devices_first() : (unsigned)session_bound());
    return session_device_answers(d) ? run_request_in_free_stream(request, d) : OUTCOME_NONE;
}

enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes, bool is_once) {
    struct signal_guard before;
    struct request request = {
        .work = work, .argument = argument, .size = size, .bytes = bytes, .is_once = is_once};
    enum outcome outcome = run_request_guarded(&request);
    if (outcome != OUTCOME_NONE)
        return outcome;
    request.rescue = 1;
    request.alone = 0;
    request.is_patient = true;
    signal_guard_begin(&before);
    signal_guard_let_in(&before);
    outcome = run_request_on_stopped_device(&request);
    signal_guard_end(&before);
    return outcome;
}

/* ---- small products */

/* To estimate which device finishes first, a small product counts as a call of this many bytes. */
enum { PRODUCT_BYTES = 1 << 16 };

static bool send_products_to_device(struct direct_product *p, unsigned count,
                                    enum outcome *outcome) {
    struct session_choice c;
    *outcome = session_question();
    if (*outcome != OUTCOME_DONE)
        return true;
    session_choose(&c, (size_t)count * PRODUCT_BYTES, false);
    if (!c.device)
        return false;
    signal_guard_push(&c.window);
    bool serves = coalesce_products(&c.device->coalesce, p, count, outcome);
    signal_guard_pop(&c.window);
    session_choose_end(&c, serves ? *outcome : OUTCOME_NONE);
    return serves;
}

bool session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome) {
    struct signal_guard before;
    signal_guard_begin(&before);
    signal_guard_let_in(&before);
    bool serves = send_products_to_device(p, count, outcome);
    signal_guard_end(&before);
    return serves;
}

bool session_fits_product(struct direct_product *p) {
    unsigned number[SESSION_DEVICES], count = session_devices(number);
    for (unsigned i = 0; i < count; i++)
        if (coalesce_fits(&session_device(number[i])->coalesce, p))
            return true;
    return false;
}

enum gpu_status session_add_slots(unsigned number, struct coalesce_source *source,
                                  struct coalesce_block *block, bool may_view) {
    struct session_device *d = session_device(number);
    return session_device_is_open(d)
               ? coalesce_launcher_add(&d->coalesce.launcher, source, block, may_view)
               : GPU_ABSENT;
}

void session_ring_slots(unsigned number) {
    coalesce_launcher_ring(&session_device(number)->coalesce.launcher);
}

void session_remove_slots(unsigned number, struct coalesce_source *source) {
    coalesce_launcher_remove(&session_device(number)->coalesce.launcher, source);
}

static enum gpu_status unlock_segment_on_device(struct context *s, void *segment) {
    pinned_release(&s->dev, *(size_t *)segment);
    return GPU_OK;
}

bool session_unlock_segment(size_t segment) {
    return !pinned_is_forbidden() &&
           session_run(unlock_segment_on_device, &segment, sizeof segment, SEGMENT_BYTES) ==
               OUTCOME_DONE &&
           !segments_pinned(segment);
}
