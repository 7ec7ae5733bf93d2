/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the device. */
#include "lib/session/opener.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/started.h"
#include "lib/device/answers.h"
#include "lib/device/tables.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pressure.h"
#include "lib/multiply/direct.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/event.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/selftest/expected.h"
#include "lib/selftest/selftest.h"
#include "lib/session/drain.h"
#include "lib/session/start/serve_program.h"
#include "lib/session/start/starting.h"
#include "lib/transfer/far.h"
#include "lib/transfer/transfer.h"

enum {
    /* the device must support groups of at least this many work-items */
    LEAST_GROUP = 512,
    LEAST_LOCAL = 32 << 10 /* the least bytes of local memory that the device must have */
};

static bool may_build = true; /* kernels for CPUs */

static void log_text(int level, const char *text) {
    mpgpu_log(level, "%s", text);
}

/* Returns NULL if the device can be used, otherwise a text that describes what it lacks. */
static const char *missing_device_feature(const struct context *s) {
    if (s->dev.caps.max_group < LEAST_GROUP)
        return "its work-groups are too small";
    if (s->dev.caps.local_bytes < LEAST_LOCAL)
        return "it has too little local memory";
    if (s->dev.caps.jobs_only &&
        (mpgpu_conf.memory || mpgpu_conf.algorithm != ALGORITHM_AUTO || mpgpu_conf.clear))
        return "another member's device takes no clear:true, algorithm or memory";
    return NULL;
}

/* Writes a text about this thread's last failure to `text`, and returns `status`. */
static enum gpu_status describe_opening_failure(const struct context *s, enum gpu_status status,
                                                const char *what, char *text, size_t size) {
    const char *detail = gpu_error_text();
    snprintf(text, size, "%s: %s: %s: %s%s%s", s->dev.backend->name, s->dev.caps.name, what,
             gpu_status_text(status), *detail ? ": " : "", detail);
    return status;
}

/* Opens the members `queue` and `transfer` of a context on an open device, and runs the self-test
 * `test`. On failure *s owns what was opened. A server's device gets no queue and no self-test
 * here. */
static enum gpu_status make_ready(struct context *s, enum gpu_status (*test)(struct context *),
                                  char *text, size_t size) {
    const bool is_whole = !context_runs_jobs(s);
    const char *lack = missing_device_feature(s);
    if (lack)
        return describe_opening_failure(s, GPU_ABSENT, lack, text, size);
    enum gpu_status status = is_whole ? gpu_queue_open(&s->dev, &s->queue) : GPU_OK;
    if (status != GPU_OK)
        return describe_opening_failure(s, status, "queue", text, size);
    status = transfer_open(&s->dev, s->lease, &s->transfer);
    if (status == GPU_OK && !is_whole)
        status = far_open(&s->dev, &s->far);
    if (status != GPU_OK)
        return describe_opening_failure(s, status, "page-locked memory", text, size);
    if (shutdown_has_begun()) {
        snprintf(text, size, "the program is ending");
        return GPU_FAILED;
    }
    status = is_whole ? test(s) : GPU_OK;
    return status == GPU_OK ? GPU_OK
                            : describe_opening_failure(s, status, "known-answer test", text, size);
}

static void zero_context(struct context *s) {
    *s = (struct context){.number = s->number, .lease = s->lease};
}

void opener_close(struct context *s) {
    if (!drain_work(s)) {
        zero_context(s); /* leaks the context's resources, because the device may still use them */
        return;
    }
    answers_close(s);
    if (!s->shards_device)
        pinned_release_all(&s->dev);
    direct_close(s);
    if (s->far)
        s->dev.backend->host_release(s->dev.impl, s->far);
    if (s->transfer)
        transfer_close(s->transfer);
    context_close(s);
    if (s->queue.impl)
        gpu_queue_close(&s->queue);
    if (!s->shards_device && !s->is_adopted)
        gpu_close(&s->dev);
    zero_context(s);
}

/* Closes the context after a failure. While the program is ending, only waits for work in progress,
 * which must end before the driver's libraries are unloaded. */
static void close_or_drain_context(struct context *s) {
    if (!shutdown_has_begun())
        opener_close(s);
    else if (!drain_work(s))
        atexit_guard_forbid();
}

/* Continues opening after gpu_open_found, which returned `status`: makes the context ready and
 * writes a line about the device to `text`. */
static enum gpu_status finish_opening(struct context *s, enum gpu_status status, char *text,
                                      size_t size) {
    if (status != GPU_OK)
        return describe_opening_failure(s, status, "open", text, size);
    snprintf(text, size, "%s: %s%s, %s%s", s->dev.backend->name, s->dev.caps.name,
             s->dev.caps.is_cpu ? " (the CPU)" : "", s->dev.caps.driver,
             s->dev.backend->is_served ? ", by mpgpu-serve" : "");
    status = make_ready(s, selftest_all, text, size);
    if (status != GPU_OK)
        close_or_drain_context(s);
    return status;
}

/* Returns NULL if the library can use the device, otherwise the reason why it cannot. */
static const char *passes_over(const struct context *s, bool any, const struct profile *p) {
    if (!any && profile_is_never(p))
        return "all thresholds are `never`";
    if (s->dev.caps.is_cpu && !may_build && !gpu_cpu_is_built())
        return "its kernels are not built (mpgpu-info --build)";
    return NULL;
}

/* Chooses the profile (thresholds and measured times) of a device that was found, and opens the
 * device. */
enum gpu_status opener_open_found(struct context *s, bool any, char *text, size_t size) {
    struct profile profile;
    profile_choose(s->dev.backend->name, &s->dev.caps, &profile);
    if (s->dev.caps.is_cpu && !may_build)
        profile_keep_to_products(&profile);
    const char *reason = passes_over(s, any, &profile);
    if (reason) {
        snprintf(text, size, "%s: %s: %s", s->dev.backend->name, s->dev.caps.name, reason);
        return GPU_ABSENT;
    }
    s->is_adopted = s->dev.impl;
    enum gpu_status status = s->is_adopted ? GPU_OK : gpu_open_found(&s->dev);
    atexit_guard_renew();
    if (status == GPU_OK && s->dev.backend->modulus && s->dev.backend->modulus(s->dev.impl))
        tables_set_check_modulus(s->dev.backend->modulus(s->dev.impl));
    status = finish_opening(s, status, text, size);
    if (status == GPU_OK)
        s->profile = profile;
    return status;
}

enum gpu_status opener_open_served(struct context *s, bool any, char *text, size_t size) {
    enum gpu_status status = gpu_find_served(mpgpu_conf.backend, mpgpu_conf.device, 0, &s->dev);
    snprintf(text, size, "%s", gpu_error_text());
    if (status == GPU_OK)
        status = opener_open_found(s, any, text, size);
    if (status != GPU_OK)
        gpu_forgo_served();
    return status;
}

/* Returns NULL if this process may use a CPU as a device, otherwise the reason why it must not. */
static const char *forbid_cpus(void) {
    if (pressure_of_groups(PRESSURE_OF_CPU_DRIVER))
        return "too little memory is left in this control group";
    return starting_is_forbidden() ? NULL : gpu_cpus_fault();
}

void opener_prepare(bool builds_for_cpus) {
    static LARGE_ZERO char helper[4096]; /* static, because the stack may be small */
    gpu_set_logger(log_text);
    gpu_set_cache_dir(mpgpu_conf.cache);
    gpu_served_set_patience(mpgpu_conf.watchdog > 0 ? event_nanoseconds(mpgpu_conf.watchdog)
                                                    : EVENT_FOREVER,
                            signal_guard_take_defaults);
    if (!gpu_cpus_forbidden())
        gpu_forbid_cpus(forbid_cpus());
    if (serve_program_find(helper, sizeof helper))
        gpu_set_build_helper(helper);
    expected_tell();
    if (!builds_for_cpus)
        gpu_build_nothing_for_cpus();
    may_build = builds_for_cpus;
}

enum gpu_status opener_open_own(struct context *s, bool any, char *text, size_t size) {
    for (unsigned rank = 0;; rank++) {
        enum gpu_status status = gpu_find(mpgpu_conf.backend, mpgpu_conf.device, rank, &s->dev);
        atexit_guard_renew();
        if (status != GPU_OK && rank == 0)
            snprintf(text, size, "%s", gpu_error_text());
        if (status != GPU_OK)
            return status;
        if (rank > 0)
            mpgpu_log(LOG_WARNING, "%s; the next device is tried", text);
        status = opener_open_found(s, any, text, size);
        if (status == GPU_OK || shutdown_has_begun())
            return status;
    }
}

/* Opens another context, *s, on a device that is already open: for a further stream, or for small
 * products. */
static enum gpu_status open_another(struct context *s, enum gpu_status (*test)(struct context *),
                                    bool *failed_test, char *text, size_t size) {
    snprintf(text, size, "%s: %s", s->dev.backend->name, s->dev.caps.name);
    enum gpu_status status = make_ready(s, test, text, size);
    *failed_test = s->failed;
    if (status != GPU_OK)
        close_or_drain_context(s);
    return status;
}

enum gpu_status opener_open_stream(const struct context *first, struct context *s,
                                   bool *failed_test, char *text, size_t size) {
    *s = (struct context){.dev = first->dev,
                          .number = first->number,
                          .lease = s->lease,
                          .shards_device = 1,
                          .profile = first->profile};
    return open_another(s, selftest_all, failed_test, text, size);
}

enum gpu_status opener_open_small(const struct context *first, struct context *s, unsigned slots,
                                  bool *failed_test, char *text, size_t size) {
    *s = (struct context){.dev = first->dev,
                          .number = first->number,
                          .lease = s->lease,
                          .shards_device = 1,
                          .profile = first->profile,
                          .small_slots = slots};
    return open_another(s, selftest_columns, failed_test, text, size);
}
