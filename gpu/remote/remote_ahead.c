/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs built ahead.  Compilers of drivers work one program at a time in a process, so there are
 * several processes.  Each takes the next program that nobody has begun. */
#define _GNU_SOURCE 1 /* nice */
#include "config.h"

#include "gpu/remote/remote_ahead.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

enum {
    MOST_HELPERS = 8,
    LATER_HELPERS = 2, /* go on with what is not wanted at once, and on a CPU */
    LATER_CPU = 1,
    NICE = 10
};

extern char **environ;

static int memory_file = -1;
static struct remote_shared *of_helper;

void remote_ahead_begin(int file) {
    memory_file = fcntl(file, F_DUPFD_CLOEXEC, REMOTE_FILE + 1);
}

static void start_one(void) {
    char *const arguments[] = {"mpgpu-cpu", REMOTE_VERSION, REMOTE_AHEAD, NULL};
    posix_spawn_file_actions_t files;
    pid_t unused;
    if (posix_spawn_file_actions_init(&files) != 0)
        return;
    if (posix_spawn_file_actions_adddup2(&files, memory_file, REMOTE_FILE) == 0)
        posix_spawn(&unused, "/proc/self/exe", &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
}

void remote_ahead_start(unsigned programs) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (memory_file < 0)
        return;
    for (unsigned i = 0; i < programs && i < MOST_HELPERS && i < cores; i++)
        start_one();
}

/* Is this one of those that stay for later programs?  Its place among them is taken. */
static bool stays(struct builds *builds) {
    return atomic_fetch_add(&builds->later, 1) < (builds->simd ? LATER_CPU : LATER_HELPERS);
}

static void build_from(const struct gpu_backend *backend, gpu_device_impl *dev, unsigned from,
                       unsigned to) {
    const struct builds_list *missing = &of_helper->builds.missing;
    for (unsigned i = from; i < to; i++)
        backend->build_ahead(dev, missing->program[i]);
}

void remote_ahead_work(const struct gpu_backend *backend, struct remote_shared *shared) {
    struct builds *builds = &shared->builds;
    const unsigned first = builds->missing.first, count = builds->missing.count;
    gpu_device_impl *dev;
    of_helper = shared;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (backend->open(builds->device, &dev) != GPU_OK)
        return;
    build_from(backend, dev, 0, builds->at_once ? count : first);
    if (builds->at_once || !stays(builds))
        return;
    if (nice(NICE) != -1)
        build_from(backend, dev, first, count);
}
