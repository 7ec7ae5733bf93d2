/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening: what is found is opened, and what follows for the program. */
#include "lib/session/session_open.h"

#include <pthread.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/profile_cost.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pool.h"
#include "lib/process/shutdown.h"
#include "lib/session/chosen.h"
#include "lib/session/gather.h"
#include "lib/session/opener.h"
#include "lib/session/session_thresholds.h"

enum { USUAL_STREAMS = 4, LEAVE_SECONDS = 2 };

/* How long a stream's thread spins for its next job, and a thread of the program for a free stream
 * and for its answer, before it sleeps: waking takes 20 to 50 us. */
static const double spin_job_seconds = 100e-6, spin_answer_seconds = 1e-3;

static bool opens_any; /* devices whatever their thresholds */

void session_open_set_any(void) {
    opens_any = 1;
}

static bool says_missing;

void session_open_set_says_missing(void) {
    says_missing = true;
}

bool session_open_is_asked_for(void) {
    return opens_any || conf_names_device();
}

bool session_open_may_build(void) {
    return session_open_is_asked_for() || mpgpu_conf.open == OPEN_WAIT || profile_is_given();
}

/* In the thread of a further stream.  A failure here is no fault, unless an answer was wrong. */
static void open_stream(void *argument) {
    struct stream *stream = argument;
    struct session_device *d = stream->device;
    char text[sizeof d->about] = "the program is ending";
    double start = stats_clock();
    bool failed_test = false;
    enum gpu_status status = GPU_FAILED;
    if (session_device_is_open(d))
        status = opener_open_stream(session_device_first(d), &stream->context, &failed_test, text,
                                    sizeof text);
    mpgpu_log(LOG_INFO, "another lane: %s (%.2f s)", text, stats_clock() - start);
    if (failed_test)
        session_device_leave_alone(d, "it failed a known-answer test");
    streams_release_one(&d->streams, stream, status == GPU_OK);
}

/* On a CPU a second stream takes turns with the first, and so would a thread that spins. */
static void allow_streams(struct session_device *d, const struct gpu_caps *caps) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool spins = !caps->is_cpu && cpus >= 2;
    int spinners = !spins ? 0 : cpus < 8 ? 1 : (int)(cpus / 4);
    int most = mpgpu_conf.lanes == 0 ? (caps->is_cpu ? 1 : USUAL_STREAMS) : mpgpu_conf.lanes;
    executor_set_spin(spins ? spin_job_seconds : 0, spins ? spin_answer_seconds : 0);
    streams_allow(&d->streams, most, open_stream, spinners, spin_answer_seconds);
}

/* Thresholds and GMP's times are those of the first device of the list that is there, or of the
 * one that follows it. */
static void use_profile(const struct session_device *d, const struct profile *p) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static unsigned used = SESSION_DEVICES;
    pthread_mutex_lock(&mutex);
    if (d->number <= used || d->source != SESSION_EITHER) {
        session_thresholds_set(p);
        dispatch_use_profile(p, profile_gmp_ns);
        used = d->number;
    }
    pthread_mutex_unlock(&mutex);
}

static void begin_use(struct session_device *d, const struct context *s) {
    if (mpgpu_conf.confirm)
        profile_print(&s->profile, mpgpu_say);
    use_profile(d, &s->profile);
    allow_streams(d, &s->dev.caps);
    gather_prepare(&d->gather);
    pool_open();
}

static void open_device(void *argument);

/* Those of the server, where they are among the words', or the program's own. */
static unsigned find_list(const struct session_device *d, struct gpu_device *found, bool *is_ours) {
    bool may_be_served = mpgpu_conf.server != SERVER_OFF && d->source != SESSION_OWN;
    bool may_be_own = mpgpu_conf.server != SERVER_ONLY && d->source != SESSION_SERVED;
    unsigned count = may_be_served ? chosen_find_served(found, SESSION_DEVICES) : 0;
    *is_ours = count == 0;
    return count == 0 && may_be_own ? chosen_find(found, SESSION_DEVICES) : count;
}

/* The devices of a list: this one is the first of them. */
static void begin_others(struct session_device *d) {
    struct gpu_device found[SESSION_DEVICES];
    struct stream *stream;
    struct session_device *other;
    bool is_ours;
    unsigned count = find_list(d, found, &is_ours);
    bool is_followed = !is_ours && d->source == SESSION_EITHER && mpgpu_conf.server != SERVER_ONLY;
    if (count > 0) {
        d->found = found[0];
        atomic_store(&d->is_served, is_followed);
    }
    for (unsigned i = 1; i < count && (other = session_device_begin(&stream)); i++) {
        other->found = found[i];
        atomic_store(&other->is_served, is_followed);
        executor_post(stream->executor, open_device, stream);
    }
}

/* Nothing of the server's is in use any more: neither a thread that waits for it, nor what it has
 * page-locked.  One that hangs is asked no more, so that its threads come back. */
static void leave_server(struct session_device *served) {
    if (gate_is_shut(&served->gate))
        gpu_served_leave();
    bool held = session_device_acquire_all(served, LEAVE_SECONDS);
    if (!held)
        gpu_served_leave();
    pinned_leave_server();
    if (held)
        session_device_release_all(served);
}

static void leave_servers(const struct session_device *own) {
    for (unsigned i = session_devices_first(); i < own->number; i++)
        if (atomic_load(&session_device(i)->is_served))
            leave_server(session_device(i));
}

/* Without a GPU the program has no device of its own, unless it may open a CPU. */
static bool may_open_own(const struct session_device *d) {
    return atomic_load(&d->state) == SESSION_OPENING && (!gpu_cpus_forbidden() || gpu_may_exist());
}

/* The server's device, if there may be one, or the program's own. */
static enum gpu_status open_either(struct session_device *d, struct context *s, char *text,
                                   size_t size) {
    bool any = session_open_is_asked_for();
    if (mpgpu_conf.server == SERVER_OFF || d->source == SESSION_OWN)
        return opener_open_own(s, any, text, size);
    bool is_only = mpgpu_conf.server == SERVER_ONLY || d->source == SESSION_SERVED;
    atomic_store(&d->is_served, !is_only);
    enum gpu_status status = opener_open_served(s, any, text, size);
    if (status == GPU_OK || is_only || shutdown_has_begun())
        return status;
    atomic_store(&d->is_served, false);
    return may_open_own(d) ? opener_open_own(s, any, text, size) : status;
}

static enum gpu_status open_chosen(struct session_device *d, struct context *s, char *text,
                                   size_t size) {
    if (d->number == session_devices_first() && !d->found.impl)
        opener_prepare(session_open_may_build());
    if (d->source == SESSION_OWN)
        leave_servers(d);
    if (chosen_are_several() && !d->found.backend)
        begin_others(d);
    if (!d->found.backend)
        return open_either(d, s, text, size);
    s->dev = d->found;
    return opener_open_found(s, session_open_is_asked_for(), text, size);
}

/* The first job of a device's first stream. */
static void open_device(void *argument) {
    struct stream *stream = argument;
    struct session_device *d = stream->device;
    char text[sizeof d->about] = "the program is ending";
    double start = stats_clock();
    enum gpu_status status =
        shutdown_has_begun() ? GPU_FAILED : open_chosen(d, &stream->context, text, sizeof text);
    if (status == GPU_OK)
        begin_use(d, &stream->context);
    bool is_left = status != GPU_OK && session_devices_begun() > 1 && d->source != SESSION_SERVED &&
                   !shutdown_has_begun();
    if (status != GPU_OK && says_missing && conf_names_device() && !shutdown_has_begun())
        mpgpu_say("%s; GMP computes", text);
    else
        mpgpu_log(is_left ? LOG_WARNING : LOG_INFO, "%s (%.2f s)", text, stats_clock() - start);
    session_device_set(d, status == GPU_OK ? SESSION_READY : SESSION_NONE, text);
    streams_release_one(&d->streams, stream, true);
}

static bool begin(enum session_source source) {
    struct stream *stream;
    struct session_device *d = session_device_begin(&stream);
    if (!d)
        return false;
    d->source = source;
    executor_post(stream->executor, open_device, stream);
    return true;
}

bool session_open_adopted(const struct gpu_device *dev) {
    struct stream *stream;
    struct session_device *d = session_device_begin(&stream);
    if (!d)
        return false;
    d->found = *dev;
    executor_post(stream->executor, open_device, stream);
    return true;
}

bool session_open_begin(void) {
    return begin(SESSION_EITHER);
}

bool session_open_served(void) {
    return begin(SESSION_SERVED);
}

void session_open_own(void) {
    if (session_device_is_due() && !begin(SESSION_OWN))
        session_device_forgo();
}
