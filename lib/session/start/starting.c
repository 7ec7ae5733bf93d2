/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that waits for mpgpu-serve and connects to it. The thread never calls a driver, so
 * the process may exit without waiting for it. */
#include "lib/session/start/starting.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/memory/pressure.h"
#include "lib/process/event.h"
#include "lib/process/heap.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/process/worker.h"
#include "lib/session/start/serve_program.h"

static const int64_t patience = 2000000000; /* nanoseconds after which a wait is logged */

static atomic_bool is_under_way;
static struct event has_ended;
static bool is_forbidden;

void starting_forbid(void) {
    is_forbidden = true;
}

bool starting_is_forbidden(void) {
    return is_forbidden;
}

/* How to connect to a server. Set before the thread starts: finding the path of mpgpu-serve uses
 * the dynamic linker, and the process must not fork during that. */
static struct {
    /* true: a thread waits for the server; false: calls of the program do so, in small steps
     * (starting_step) */
    bool has_thread;
    bool awaits; /* the process waits until a server answers */
    bool starts; /* the process starts a server if none runs */
    /* path of mpgpu-serve; "" if it must not be started. `lack` is then the reason, if it is
     * known. */
    char program[4096];
    const char *lack;
    char conf[sizeof mpgpu_conf.cache + sizeof mpgpu_conf.device + 200];
    void (*open)(void);
} plan;

/* Writes the server's MPGPU_CONF: the options that name devices and the cache, and whether the
 * server may build kernels for a CPU. The server reads the user's configuration file itself. */
static void write_conf(bool builds_for_cpus) {
    bool fits = !strchr(mpgpu_conf.cache, ',') && !strchr(mpgpu_conf.device, ',');
    snprintf(plan.conf, sizeof plan.conf, "MPGPU_CONF=backend:%s%s%s%s%s%s", mpgpu_conf.backend,
             builds_for_cpus ? ",open:wait" : "", fits ? ",device:" : "",
             fits ? mpgpu_conf.device : "", fits && *mpgpu_conf.cache ? ",cache:" : "",
             fits ? mpgpu_conf.cache : "");
}

/* Sets `plan`. On a machine with only a CPU, a server is started only if the CPU's kernels are
 * already built or may be built. */
static void make_plan(bool builds_for_cpus) {
    plan.awaits = true;
    plan.starts = !is_forbidden && mpgpu_conf.server != SERVER_ONLY &&
                  (gpu_may_exist() || gpu_cpu_is_built() || builds_for_cpus);
    plan.lack = pressure_of_groups(PRESSURE_OF_CPU_DRIVER)
                    ? "mpgpu-serve is not started: too little memory is left in this control group"
                : !serve_program_find(plan.program, sizeof plan.program)
                    ? "mpgpu-serve is not installed beside the library"
                    : NULL;
    if (!plan.starts || plan.lack)
        plan.program[0] = '\0';
    write_conf(builds_for_cpus);
    if (heap_is_needed())
        gpu_use_clone(next_in_libc()->clone);
}

static const char *program(void) {
    return *plan.program ? plan.program : NULL;
}

static void open_after_server_start(enum gpu_status status) {
    if (status != GPU_OK && plan.starts && !shutdown_has_begun())
        mpgpu_log(LOG_WARNING, "%s; GMP computes", plan.lack ? plan.lack : gpu_error_text());
    plan.open();
    atomic_store(&is_under_way, false);
    event_post(&has_ended);
}

static void await_server_and_open(void *unused) {
    (void)unused;
    open_after_server_start(plan.awaits ? gpu_served_await(program(), plan.conf) : GPU_OK);
    /* the thread waits here, because the connection ends with the thread */
    gpu_served_keep_connection();
}

void starting_step(void) {
    static atomic_flag is_taken = ATOMIC_FLAG_INIT;
    bool is_over = true;
    if (plan.has_thread || atomic_flag_test_and_set(&is_taken))
        return;
    enum gpu_status status = plan.awaits ? gpu_served_look(program(), plan.conf, &is_over) : GPU_OK;
    if (is_over && starting_is_under_way())
        open_after_server_start(status);
    atomic_flag_clear(&is_taken);
}

static void start_opening_thread(void (*open)(void)) {
    plan.open = open;
    plan.has_thread = true;
    atomic_store(&is_under_way, true);
    plan.has_thread = worker_start(await_server_and_open, NULL);
    starting_step();
}

bool starting_begin(void (*open)(void), bool builds_for_cpus) {
    if (mpgpu_conf.server == SERVER_OFF)
        return false;
    make_plan(builds_for_cpus);
    start_opening_thread(open);
    return true;
}

void starting_begin_child(void (*open)(void)) {
    plan.awaits = false;
    start_opening_thread(open);
}

bool starting_private_instead(void) {
    static bool is_tried;
    if (is_tried || !plan.has_thread || mpgpu_conf.server != SERVER_AUTO || !*plan.program ||
        !gpu_served_has_others() || shutdown_is_in_child() || shutdown_has_begun())
        return false;
    is_tried = true;
    mpgpu_log(LOG_INFO, "%s; the program starts a server of its own", gpu_error_text());
    gpu_served_be_private();
    const bool is_there = gpu_served_await(plan.program, plan.conf) == GPU_OK;
    if (!is_there && !shutdown_has_begun())
        mpgpu_log(LOG_WARNING, "%s; GMP computes", gpu_error_text());
    return is_there;
}

bool starting_is_under_way(void) {
    return atomic_load(&is_under_way);
}

void starting_wait(int64_t ns) {
    const int64_t begun = event_clock();
    int64_t waited = 0;
    bool is_told = false;
    while (starting_is_under_way() && waited < ns &&
           !event_sleep(&has_ended, 1,
                        (int64_t)min_u64((uint64_t)(ns - waited), SIGNAL_GUARD_LOOK_NS))) {
        signal_guard_let_pass();
        starting_step();
        waited = event_clock() - begun;
        if (!is_told && waited > patience)
            mpgpu_log(LOG_INFO, "waiting until mpgpu-serve has opened its device");
        is_told |= waited > patience;
    }
}

void starting_renew(void) {
    atomic_store(&is_under_way, false);
    has_ended = (struct event){0};
}
