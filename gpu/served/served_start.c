/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts mpgpu-serve for a program, and waits until the server answers. If several programs start a
 * server at once, the first server gets the socket. The other servers end (serve_socket_open), and
 * all programs use the first. */
#define _GNU_SOURCE 1 /* SCHED_IDLE */
#include "config.h"

#include "gpu/served/served_start.h"

#include <linux/capability.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/host/detached.h"
#include "gpu/host/pages.h"
#include "gpu/served/served_socket.h"

/* Limits of waiting: AWAIT_MS for a server that starts; OPENING_MS for a server that opens its
 * devices, because it may have to build kernels first. */
enum {
    AWAIT_MS = 30000,
    OPENING_MS = 600000,
    FIRST_NAP_MS = 2,
    LAST_NAP_MS = 50,
    /* How many microseconds a check of the server may take in gpu_served_look, which a thread of
     * the program calls. */
    LOOK_US = 2000,
    LEAST_FILES = 256,
    LEAST_STACK = 1 << 20,
    REFUSAL = 512
};

enum { USUAL_NICE = 20 }; /* as RLIMIT_NICE counts */

static bool has_low_priority(void) {
    return getpriority(PRIO_PROCESS, 0) > 0 || sched_getscheduler(0) == SCHED_IDLE;
}

/* Returns true if a process of this user may raise its priority to the default. */
static bool may_raise_priority(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
    struct rlimit limit;
    if (getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur >= USUAL_NICE)
        return true;
    return syscall(SYS_capget, &head, sets) == 0 && (sets[0].effective & (1u << CAP_SYS_NICE)) != 0;
}

/* Returns NULL, or why this process must not start the user's server, which other programs will
 * use. A CPU limit would end that server; a low priority would make it slow. */
static const char *forbidden_for_all(void) {
    struct rlimit limit;
    if (has_low_priority() && !may_raise_priority())
        return "the low priority of this program";
    if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return "RLIMIT_CPU";
    return NULL;
}

static const char *forbidden(void) {
    struct rlimit limit;
    const char *reason = served_socket_is_private() ? NULL : forbidden_for_all();
    if (reason)
        return reason;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < LEAST_FILES)
        return "RLIMIT_NOFILE";
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_max < LEAST_STACK)
        return "RLIMIT_STACK";
    return detached_forbidden();
}

/* Makes a key that no other private server has, even if this process executes another program
 * later. */
static void make_key(char key[SERVED_KEY]) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(key, SERVED_KEY, "%d/%" PRIx64, (int)getpid(),
             (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

static enum gpu_status start(const char *program, const char *conf, pid_t *pid) {
    /* static, because the stack may be small and only one thread at a time calls this */
    static LARGE_ZERO char name[4096];
    char key[SERVED_KEY];
    bool is_private = served_socket_is_private();
    char *const of_all[] = {name, SERVED_ON_DEMAND, NULL};
    char *const of_this[] = {name, SERVED_OWNER, key, NULL};
    const char *reason = forbidden();
    if (reason)
        return gpu_fail(GPU_ABSENT, "mpgpu-serve is not started: %s", reason);
    strncpy(name, program, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    make_key(key);
    int error = detached_start(name, is_private ? of_this : of_all, -1, conf, pid);
    if (error)
        return gpu_fail(GPU_ABSENT, "%s: %s", program, strerror(error));
    if (is_private)
        served_socket_set_private(key, *pid);
    gpu_log(GPU_LOG_DETAIL, "%s: process %d", program, (int)*pid);
    return GPU_OK;
}

/* Asks the server whether it accepts this client, and waits at most `us` microseconds. Returns
 * GPU_OK if the server answers. Returns GPU_ABSENT if there is no server, or if it refuses this
 * client; `refusal` then has the server's reason. Returns GPU_FAILED if the server is stopped or
 * still opening its devices. */
static enum gpu_status look(int64_t us, bool *is_stopped, char refusal[REFUSAL]) {
    struct served_hello hello = {.purpose = SERVED_LOOK};
    /* static, because it is large and only one thread at a time calls this */
    static struct served_welcome welcome;
    int file;
    pid_t peer = 0;
    enum gpu_status status = served_socket_ask_within(us, &hello, &welcome, &file, &peer);
    *is_stopped = status != GPU_OK && peer > 0 && served_is_stopped(peer);
    if (status == GPU_ABSENT && peer > 0)
        snprintf(refusal, REFUSAL, "%s", gpu_error_text());
    return status;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The state of a wait for the server.  All zero before the first look and after the last. */
static struct {
    pid_t pid; /* the server process that this process started; 0: none */
    int64_t begun, end, next;
    int step;
    /* why a running server has refused this client; reported if the server process `pid` ends */
    char refusal[REFUSAL];
} wait;

static void begin_wait(void) {
    wait.begun = now_ms();
    wait.end = wait.begun + AWAIT_MS;
    wait.step = FIRST_NAP_MS;
}

/* Asks the server once.  Clears *is_over if the caller should ask again, otherwise sets it. */
static enum gpu_status look_once(const char *program, const char *conf, int64_t us, bool *is_over) {
    bool is_stopped;
    const bool has_ended = wait.pid != 0 && served_begun(wait.pid) == 0; /* before the look */
    enum gpu_status status = look(us, &is_stopped, wait.refusal);
    *is_over = true;
    if (status == GPU_OK || is_stopped)
        return status;
    if (status == GPU_ABSENT && (has_ended || !program))
        return *wait.refusal ? gpu_fail(status, "%s", wait.refusal) : status;
    if (status == GPU_FAILED)
        wait.end = wait.begun + OPENING_MS;
    if (status == GPU_ABSENT && wait.pid == 0 && start(program, conf, &wait.pid) != GPU_OK)
        return GPU_ABSENT;
    *is_over = now_ms() >= wait.end || gpu_stopped();
    return status;
}

/* Does one step of the wait: asks the server once and plans the next time to ask. Sets *is_over
 * at the end of the wait. */
static enum gpu_status step(const char *program, const char *conf, int64_t us, bool *is_over) {
    if (wait.begun == 0)
        begin_wait();
    enum gpu_status status = look_once(program, conf, us, is_over);
    wait.next = now_ms() + wait.step;
    wait.step = wait.step < LAST_NAP_MS ? 2 * wait.step : LAST_NAP_MS;
    if (*is_over)
        memset(&wait, 0, sizeof wait);
    return status;
}

enum gpu_status gpu_served_look(const char *program, const char *conf, bool *is_over) {
    *is_over = false;
    return now_ms() < wait.next ? GPU_FAILED : step(program, conf, LOOK_US, is_over);
}

enum gpu_status gpu_served_await(const char *program, const char *conf) {
    enum gpu_status status = GPU_ABSENT;
    for (bool is_over = gpu_stopped(); !is_over;) {
        status = step(program, conf, SERVED_ANSWER_US, &is_over);
        for (int64_t left; !is_over && (left = wait.next - now_ms()) > 0;)
            nanosleep(&(struct timespec){.tv_nsec = left * 1000000L}, NULL);
    }
    return status;
}
