/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts a process of the project, such as mpgpu-serve, detached from the program. The program must
 * not notice the new process.
 *
 * An intermediate child starts the new process and exits at once, so that the new process is no
 * child of the program. The intermediate child has no exit signal, so that no wait() of the program
 * finds it. The intermediate child and the new process share the waiting thread's memory, as with
 * vfork, so they must not call malloc. */
#define _GNU_SOURCE 1 /* clone, memfd_create, __WCLONE */
#include "config.h"

#include "gpu/host/detached.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"

enum { STACK = 64 << 10, ALL_DESCRIPTORS = 1 << 16 };

extern char **environ;

struct start {
    const char *path;
    char *const *arguments;
    int file; /* descriptor that the new process inherits, or -1 */
    char **environment;
    char *stacks; /* two of them */
    pid_t pid;    /* the new process, or -1 */
    int error;    /* errno value of the failure */
};

/* A pointer to the C library's clone. ThreadSanitizer intercepts clone, and its version ends
 * programs whose children share their memory. */
static gpu_clone *libc_clone;

void gpu_use_clone(gpu_clone *function) {
    libc_clone = function;
}

static void find_clone(void) {
    if (libc_clone)
        return;
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    libc_clone = libc ? (gpu_clone *)dlsym(libc, "clone") : NULL;
    if (!libc_clone)
        libc_clone = clone;
}

/* ---- in the two children, which share this process's memory. They must not call _exit:
 * ThreadSanitizer's _exit would release its state, which this process still uses. */

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
#endif
    for (int file = first; file < ALL_DESCRIPTORS; file++)
        close(file);
}

/* Closes all descriptors of the program except `file`, which becomes DETACHED_FILE. Leaves the
 * program's session, so that there is no terminal. */
static bool leave_behind(int file) {
    bool has_file = file >= 0;
    /* A copy of `file` with a number above DETACHED_FILE: the dup2 calls of this function overwrite
     * lower descriptors. */
    int shared = has_file ? fcntl(file, F_DUPFD, DETACHED_FILE + 1) : 0;
    int null = open("/dev/null", O_RDWR);
    bool done = shared >= 0 && null >= 0 && (!has_file || dup2(shared, DETACHED_FILE) >= 0);
    for (int i = 0; i < DETACHED_FILE && done; i++)
        done = dup2(null, i) >= 0;
    close_from(DETACHED_FILE + has_file);
    syscall(SYS_setsid);
    return done;
}

static int become(void *argument) {
    struct start *s = argument;
    if (leave_behind(s->file))
        execve(s->path, s->arguments, s->environment);
    s->error = errno;
    syscall(SYS_exit_group, 127);
    return 0;
}

static int between(void *argument) {
    struct start *s = argument;
    s->pid = libc_clone(become, s->stacks + 2 * STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (s->pid < 0)
        s->error = errno;
    syscall(SYS_exit_group, 0);
    return 0;
}

/* ---- here */

static bool is_dropped(const char *variable) {
    return strncmp(variable, "LD_PRELOAD=", 11) == 0 || strncmp(variable, "MPGPU_CONF=", 11) == 0;
}

/* Copies the environment without LD_PRELOAD and MPGPU_CONF; a driver may need the rest.  Reads the
 * list once, because another thread may change it during the copy. */
static char **make_environment(const char *more) {
    char **from = environ;
    size_t count = 0, kept = 0;
    while (from && from[count])
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        char *variable = from[i];
        if (variable && !is_dropped(variable))
            copy[kept++] = variable;
    }
    if (copy)
        copy[kept] = (char *)more;
    return copy;
}

int detached_start(const char *path, char *const *arguments, int file, const char *variable,
                   pid_t *pid) {
    struct start s = {.path = path,
                      .arguments = arguments,
                      .file = file,
                      .pid = -1,
                      .environment = make_environment(variable)};
    find_clone();
    s.stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (s.environment && s.stacks != MAP_FAILED) {
        pid_t child = libc_clone(between, s.stacks + STACK, CLONE_VM | CLONE_VFORK, &s);
        s.error = child < 0 ? errno : s.error;
        while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
            continue;
    } else {
        s.error = ENOMEM;
    }
    if (s.stacks != MAP_FAILED)
        munmap(s.stacks, 2 * STACK);
    free(s.environment);
    *pid = s.pid;
    return s.error;
}

bool detached_has_ended(pid_t pid) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) /* no process has this number, or the Linux kernel is older than 5.3 */
        return syscall(SYS_kill, pid, 0) != 0;
    const bool ended = poll(&(struct pollfd){.fd = process, .events = POLLIN}, 1, 0) > 0;
    close(process);
    return ended;
}

/* Returns true if the first child of this process would be the first process of a PID namespace:
 * its end would end all other processes of the namespace. */
static bool is_in_other_namespace(void) {
    char own[64] = "", childrens[64] = "";
    if (readlink("/proc/self/ns/pid", own, sizeof own - 1) < 0 ||
        readlink("/proc/self/ns/pid_for_children", childrens, sizeof childrens - 1) < 0)
        return false;
    return strcmp(own, childrens) != 0;
}

/* Refuses if the program limits memory or file size, because the new process would inherit the
 * limits. Also refuses if the program is a subreaper or process 1, because orphaned processes
 * become its children. */
const char *detached_forbidden(void) {
    static const struct {
        int resource;
        const char *name;
    } limits[] = {
        {RLIMIT_AS, "RLIMIT_AS"}, {RLIMIT_DATA, "RLIMIT_DATA"}, {RLIMIT_FSIZE, "RLIMIT_FSIZE"}};
    struct rlimit limit;
    int adopts = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            return limits[i].name;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    if (adopts || getpid() == 1)
        return "this program takes over orphans";
    return is_in_other_namespace() ? "children of this program are in a namespace of their own"
                                   : NULL;
}
