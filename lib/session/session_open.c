/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens the devices, and sets the thresholds and the profile for the program's calls. */
#include "lib/session/session_open.h"

#include <pthread.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/profile_cost.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"
#include "lib/process/shutdown.h"
#include "lib/session/chosen.h"
#include "lib/session/coalesce.h"
#include "lib/session/opener.h"
#include "lib/session/session_thresholds.h"
#include "lib/session/start/starting.h"

enum { USUAL_STREAMS = 4 };

/* How long a thread spins before it sleeps, in seconds. spin_job_seconds: a stream's thread that
 * waits for a job. spin_answer_seconds: a thread of the program that waits for a free stream or for
 * its job. */
static const double spin_job_seconds = 100e-6, spin_answer_seconds = 1e-3;

static bool opens_any; /* devices are opened even if their thresholds are all `never` */

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

/* Returns true if this process may open a driver itself: programs of this package unless
 * server:only, and all programs with server:off. A child of fork never may. */
static bool opens_own(void) {
    return (mpgpu_conf.server == SERVER_OFF ||
            (starting_is_forbidden() && mpgpu_conf.server != SERVER_ONLY)) &&
           !shutdown_is_in_child();
}

/* Opens another stream of a device, in the stream's thread if it has one. A failure counts as a
 * fault only if the device failed a known-answer test. */
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
    mpgpu_log(LOG_INFO, "another stream: %s (%.2f s)", text, stats_clock() - start);
    if (failed_test)
        session_device_leave_alone(d, "it failed a known-answer test");
    streams_release_one(&d->streams, stream, status == GPU_OK);
}

/* Sets how many streams the device may have, and how many waiting threads may spin. On a CPU
 * device, further streams and spinning threads would only take CPU time from its work. */
static void allow_streams(struct session_device *d, const struct gpu_caps *caps) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool spins = !caps->is_cpu && cpus >= 2;
    int spinners = !spins ? 0 : cpus < 8 ? 1 : (int)(cpus / 4);
    int most = mpgpu_conf.streams == 0 ? (caps->is_cpu ? 1 : USUAL_STREAMS) : mpgpu_conf.streams;
    executor_set_spin(spins ? spin_job_seconds : 0, spins ? spin_answer_seconds : 0);
    streams_allow(&d->streams, most, open_stream, spinners, spin_answer_seconds);
}

/* If `d` is the first open device in the order of the option `device`, uses its profile for the
 * program's thresholds and for GMP's times. */
static void use_profile(const struct session_device *d, const struct profile *p) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static unsigned used = SESSION_DEVICES;
    pthread_mutex_lock(&mutex);
    if (d->number <= used || used < session_devices_first()) {
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
    coalesce_prepare(&d->coalesce);
    pool_open();
}

static void open_device(void *argument);

/* Opens a device in the thread of its first stream, since this calls a driver. If the stream has no
 * thread, opens it in the calling thread. */
static void open_begun(struct stream *stream) {
    if (stream->executor)
        executor_post(stream->executor, open_device, stream);
    else
        open_device(stream);
}

/* Finds the devices of the option `device`: the server's devices if a server has any of them,
 * otherwise devices of this process. */
static unsigned find_list(struct gpu_device *found) {
    unsigned count =
        mpgpu_conf.server != SERVER_OFF ? chosen_find_served(found, SESSION_DEVICES) : 0;
    if (count == 0 && starting_private_instead())
        count = chosen_find_served(found, SESSION_DEVICES);
    return count == 0 && opens_own() ? chosen_find(found, SESSION_DEVICES) : count;
}

/* Finds all devices that the option `device` names. Sets *d to the first of them, and begins to
 * open the others. */
static void begin_others(struct session_device *d) {
    struct gpu_device found[SESSION_DEVICES];
    struct stream *stream;
    struct session_device *other;
    unsigned count = find_list(found);
    if (count > 0)
        d->found = found[0];
    for (unsigned i = 1; i < count && (other = session_device_begin(opens_own(), &stream)); i++) {
        other->found = found[i];
        if (stream->executor)
            executor_post(stream->executor, open_device, stream);
    }
}

/* Opens a device of the server if there may be a server. If that fails or there is none, opens a
 * device of this process, if that is allowed. */
static enum gpu_status open_either(struct context *s, char *text, size_t size) {
    const bool any = session_open_is_asked_for();
    if (mpgpu_conf.server != SERVER_OFF) {
        enum gpu_status status = opener_open_served(s, any, text, size);
        if (status == GPU_ABSENT && starting_private_instead())
            status = opener_open_served(s, any, text, size);
        if (status == GPU_OK || !opens_own() || shutdown_has_begun())
            return status;
    }
    return opener_open_own(s, any, text, size);
}

static enum gpu_status open_chosen(struct session_device *d, struct context *s, char *text,
                                   size_t size) {
    if (d->number == session_devices_first() && !d->found.impl)
        opener_prepare(session_open_may_build());
    if (chosen_are_several() && !d->found.backend)
        begin_others(d);
    if (!d->found.backend)
        return open_either(s, text, size);
    s->dev = d->found;
    return opener_open_found(s, session_open_is_asked_for(), text, size);
}

static void open_one(struct stream *stream) {
    struct session_device *d = stream->device;
    char text[sizeof d->about] = "the program is ending";
    double start = stats_clock();
    enum gpu_status status =
        shutdown_has_begun() ? GPU_FAILED : open_chosen(d, &stream->context, text, sizeof text);
    if (status == GPU_OK)
        begin_use(d, &stream->context);
    bool is_left = status != GPU_OK && session_devices_begun() > session_devices_first() + 1 &&
                   !shutdown_has_begun();
    if (status != GPU_OK && says_missing && conf_names_device() && !shutdown_has_begun())
        mpgpu_say("%s; GMP computes", text);
    else
        mpgpu_log(is_left ? LOG_WARNING : LOG_INFO, "%s (%.2f s)", text, stats_clock() - start);
    session_device_set(d, status == GPU_OK ? SESSION_READY : SESSION_NONE, text);
    streams_release_one(&d->streams, stream, true);
}

/* Opens, in the calling thread, all devices of the option `device` except the first, if their
 * streams have no threads. */
static void open_rest(void) {
    for (unsigned i = session_devices_first() + 1; i < session_devices_begun(); i++) {
        struct stream *stream = &session_device(i)->streams.stream[0];
        if (!stream->executor)
            open_one(stream);
    }
    gpu_forgo_served();
}

/* Opens a device. This function is the first job of the device's first stream. */
static void open_device(void *argument) {
    struct stream *stream = argument;
    const bool is_first = stream->device->number == session_devices_first();
    open_one(stream);
    if (is_first && !stream->executor)
        open_rest();
}

bool session_open_begin(void) {
    struct stream *stream;
    if (!session_device_begin(opens_own(), &stream))
        return false;
    open_begun(stream);
    return true;
}

bool session_open_adopted(const struct gpu_device *dev) {
    struct stream *stream;
    struct session_device *d = session_device_begin(true, &stream);
    if (!d)
        return false;
    d->found = *dev;
    open_begun(stream);
    return true;
}
