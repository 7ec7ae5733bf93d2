/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starting the process that has the devices of a CPU.
 *
 * The program must not notice it.  A child between the two makes it and ends at once, so that it
 * is nobody's child.  That one has no signal for its end, so that no wait of the program's finds
 * it.  Both share the memory of the thread that waits for them here, as with vfork: nothing is
 * copied and nothing of malloc's is touched. */
#define _GNU_SOURCE 1 /* clone, memfd_create, __WCLONE */
#include "config.h"

#include "gpu/remote/remote_start.h"

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
#include <sys/wait.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/futex.h"
#include "gpu/host/pages.h"
#include "gpu/images.h"

enum { STACK = 64 << 10, START_MS = 30000, LOOK_MS = 20, ALL_DESCRIPTORS = 1 << 16 };

extern char **environ;

static __attribute__((section(".data.large"))) char program[4096] = PKGLIBDIR "/mpgpu-cpu";

void gpu_set_cpu_program(const char *path) {
    if (*path && strlen(path) < sizeof program)
        strcpy(program, path);
}

struct start {
    const char *path;
    char *const *arguments;
    int file; /* the shared memory, or -1 */
    char **environment;
    char *stacks; /* two of them */
    pid_t pid;    /* the process, or -1 */
    int error;    /* why it could not become the program */
};

/* The C library's clone: ThreadSanitizer puts one of its own in front of it, which ends programs
 * whose children share their memory. */
typedef int clone_function(int (*function)(void *), void *stack, int flags, void *argument, ...);
static clone_function *libc_clone;

static void find_clone(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    libc_clone = libc ? (clone_function *)dlsym(libc, "clone") : NULL;
    if (!libc_clone)
        libc_clone = clone;
}

/* ---- in the children, which share our memory; so they end without _exit, where ThreadSanitizer
 * takes down what it has in that */

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
#endif
    for (int file = first; file < ALL_DESCRIPTORS; file++)
        close(file);
}

/* No descriptor of the program's, and no terminal. */
static bool leave_behind(int file) {
    bool has_file = file >= 0;
    int shared = has_file ? fcntl(file, F_DUPFD, REMOTE_FILE + 1) : 0; /* out of the way */
    int null = open("/dev/null", O_RDWR);
    bool done = shared >= 0 && null >= 0 && (!has_file || dup2(shared, REMOTE_FILE) >= 0);
    for (int i = 0; i < REMOTE_FILE && done; i++)
        done = dup2(null, i) >= 0;
    close_from(REMOTE_FILE + has_file);
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

/* Ours and the program's preloads are not for it; the rest a driver may want.  Another thread of
 * the program may change the list meanwhile: it is read once. */
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

int remote_start_process(const char *path, char *const *arguments, int file, const char *variable,
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

/* Locks that the kernel frees when the process that holds them has ended. */
static void make_locks(struct remote_shared *shared) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->life, &attributes);
    pthread_mutex_init(&shared->program, &attributes);
    pthread_mutexattr_destroy(&attributes);
    (void)pthread_mutex_trylock(&shared->program); /* held for life: no order among locks follows */
}

/* An older kernel (before 5.3) tells only of one that init has looked after. */
static bool has_ended(int process, pid_t pid) {
    if (process < 0)
        return syscall(SYS_kill, pid, 0) != 0;
    return poll(&(struct pollfd){.fd = process, .events = POLLIN}, 1, 0) > 0;
}

/* Until it has come. */
static enum gpu_status await(struct remote_shared *shared, pid_t pid) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    for (int ms = 0; ms < START_MS && !gpu_stopped() && !has_ended(process, pid); ms += LOOK_MS) {
        if (atomic_load(&shared->is_there))
            break;
        futex_sleep(&shared->is_there, 0, LOOK_MS * INT64_C(1000000));
    }
    if (process >= 0)
        close(process);
    return atomic_load(&shared->is_there) ? GPU_OK
                                          : gpu_fail(GPU_ABSENT, "%s: it does not begin", program);
}

static enum gpu_status launch(int file, struct remote_shared *shared) {
    pid_t pid;
    make_locks(shared);
    shared->magic = REMOTE_MAGIC;
    shared->kernels_of_gpus = gpu_uses_kernels_of_gpus();
    snprintf(shared->library, sizeof shared->library, "%s", gpu_images_library());
    builds_copy_expected(&shared->builds);
    cache_get_dir(shared->cache, sizeof shared->cache);
    if (!getcwd(shared->folder, sizeof shared->folder))
        strcpy(shared->folder, "/");
    char *const arguments[] = {program, REMOTE_VERSION, NULL};
    int error = remote_start_process(program, arguments, file, NULL, &pid);
    if (error)
        return gpu_fail(GPU_ABSENT, "%s: %s", program, strerror(error));
    enum gpu_status status = await(shared, pid);
    if (status == GPU_OK)
        gpu_log(GPU_LOG_DETAIL, "%s: process %d", program, (int)pid);
    return status;
}

/* Where the first child of this process would be the first process of a namespace, with whose end
 * all others in it end. */
static bool is_in_other_namespace(void) {
    char own[64] = "", childrens[64] = "";
    if (readlink("/proc/self/ns/pid", own, sizeof own - 1) < 0 ||
        readlink("/proc/self/ns/pid_for_children", childrens, sizeof childrens - 1) < 0)
        return false;
    return strcmp(own, childrens) != 0;
}

/* What such a process takes would be missing where the program's memory or files are limited, and
 * an orphan of a program that takes over orphans would be its child. */
const char *remote_start_forbidden(void) {
    static const struct {
        int resource;
        const char *name;
    } limits[] = {
        {RLIMIT_AS, "RLIMIT_AS"}, {RLIMIT_DATA, "RLIMIT_DATA"}, {RLIMIT_FSIZE, "RLIMIT_FSIZE"}};
    struct rlimit limit;
    int adopts = 0;
    if (gpu_cpus_forbidden())
        return gpu_cpus_forbidden();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            return limits[i].name;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    if (adopts || getpid() == 1)
        return "this program takes over orphans";
    return is_in_other_namespace() ? "children of this program are in a namespace of their own"
                                   : NULL;
}

void remote_unmap(struct remote_shared *shared) {
    if (pthread_mutex_unlock(&shared->program) == 0)
        munmap(shared, REMOTE_BYTES);
}

enum gpu_status remote_start(struct remote_shared **sharedp) {
    const char *reason = remote_start_forbidden();
    if (reason)
        return gpu_fail(GPU_ABSENT, "no process for a CPU's device: %s", reason);
    enum gpu_status status = GPU_ABSENT;
    int file = (int)syscall(SYS_memfd_create, "mpgpu", MFD_CLOEXEC);
    void *memory = file < 0 || syscall(SYS_ftruncate, file, (off_t)REMOTE_BYTES) != 0
                       ? MAP_FAILED
                       : pages_share(file, REMOTE_BYTES);
    if (memory == MAP_FAILED) {
        gpu_fail(status, "no shared memory: %s", strerror(errno));
    } else if ((status = launch(file, memory)) == GPU_OK) {
        madvise(memory, REMOTE_BYTES, MADV_DONTFORK);
        *sharedp = memory;
    } else {
        remote_unmap(memory);
    }
    if (file >= 0)
        close(file);
    return status;
}
