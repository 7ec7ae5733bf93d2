/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-cpu: the process in which the device of a CPU works for one program, by the first backend
 * of its list.  It serves what the program asks for, and ends with it.  Descriptor 3 is the memory
 * that both see.  With another argument it is a helper, which builds programs for that process. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "gpu/futex.h"
#include "gpu/remote/own_process.h"
#include "gpu/remote/remote_ahead.h"
#include "gpu/remote/remote_build.h"
#include "gpu/remote/remote_serve.h"

enum { LOOKS = 2000 }; /* before it sleeps */

static struct remote_shared *shared;

static void take_message(int level, const char *text) {
    remote_serve_log(shared, level, text);
}

/* As a program begins, whatever the one that made this process does with signals. */
static void own_signals(void) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* An end of this process is none that anybody looks into. */
static void no_core(void) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* Ends this process when the program has ended, whatever is under way. */
static void *watch_program(void *unused) {
    (void)unused;
    pthread_mutex_lock(&shared->program);
    _exit(0);
}

/* The memory of the program that has started this one; NULL if descriptor 3 is something else. */
static struct remote_shared *find_memory(void) {
    struct stat status;
    if (fstat(REMOTE_FILE, &status) != 0 || status.st_size != (off_t)REMOTE_BYTES)
        return NULL;
    struct remote_shared *memory = mmap(NULL, REMOTE_BYTES, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_NORESERVE, REMOTE_FILE, 0);
    remote_ahead_begin(REMOTE_FILE);
    close(REMOTE_FILE);
    return memory != MAP_FAILED && memory->magic == REMOTE_MAGIC ? memory : NULL;
}

/* No folder of the program's is kept in use; paths of the library and the cache begin in it. */
static void leave_folder(void) {
    char *library = *shared->library ? realpath(shared->library, NULL) : NULL;
    if (library)
        gpu_set_library(library);
    free(library);
    char cache[2 * REMOTE_FOLDER + 2];
    bool is_whole = shared->cache[0] == '/' || !shared->cache[0];
    snprintf(cache, sizeof cache, "%s%s%s", is_whole ? "" : shared->folder, is_whole ? "" : "/",
             shared->cache);
    gpu_set_cache_dir(cache);
    own_process_pocl_folder();
    if (chdir("/") != 0)
        _exit(2);
}

static bool begin(bool is_helper) {
    pthread_t thread;
    shared = find_memory();
    if (!shared)
        return false;
    if (!is_helper)
        gpu_set_logger(take_message);
    leave_folder();
    remote_build_here();
    builds_share(&shared->builds, is_helper ? NULL : remote_ahead_start);
    if (shared->kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    else
        own_process_builds_once();
    return pthread_create(&thread, NULL, watch_program, NULL) == 0;
}

static void help(void) {
    remote_ahead_work(gpu_backends[0], shared);
    _exit(0);
}

static void come(void) {
    pthread_mutex_lock(&shared->life);
    atomic_store(&shared->is_there, 1);
    futex_wake(&shared->is_there);
}

/* The next request is there. */
static void await(uint32_t next) {
    for (int i = 0; i < LOOKS && atomic_load(&shared->posted) == next; i++)
        continue;
    while (atomic_load(&shared->posted) == next) {
        atomic_store(&shared->is_asleep, 1);
        if (atomic_load(&shared->posted) == next)
            futex_sleep(&shared->posted, next, INT64_C(1) << 60);
        atomic_store(&shared->is_asleep, 0);
    }
}

int main(int argc, char **argv) {
    own_signals();
    own_process_path();
    own_process_is_ended_first();
    no_core();
    const bool is_helper = argc == 3 && strcmp(argv[2], REMOTE_AHEAD) == 0;
    if ((argc != 2 && !is_helper) || strcmp(argv[1], REMOTE_VERSION) != 0 || !begin(is_helper)) {
        fputs("mpgpu-cpu: for libmpgpu-gmp " PACKAGE_VERSION " alone, which starts it\n", stderr);
        return 2;
    }
    if (is_helper)
        help();
    come();
    for (uint32_t next = 0;; next++) {
        await(next);
        const struct remote_request request = shared->ring[next % REMOTE_RING];
        bool has_answer = remote_serve(gpu_backends[0], shared, &request);
        atomic_store(&shared->served, next + 1);
        if (has_answer || atomic_load(&shared->wanted) == next + 1)
            futex_wake(&shared->served);
        if (request.op == REMOTE_CLOSE)
            _exit(0);
    }
}
