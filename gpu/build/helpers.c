/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Helper processes that build programs, and the code that starts them. Each helper repeatedly
 * builds the next program that no process has begun. */
#define _GNU_SOURCE 1 /* nice, memfd_create */
#include "config.h"

#include "gpu/build/helpers.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/host/detached.h"
#include "gpu/host/pages.h"
#include "gpu/build/own_process.h"
#include "gpu/images.h"

enum {
    MOST_HELPERS = 8,
    /* The most helpers that build programs which the device's first result does not need: LATER_CPU
     * if the device is a CPU, otherwise LATER_HELPERS. */
    LATER_HELPERS = 2,
    LATER_CPU = 1,
    NICE = 10,
    LOOK_MS = 250,
    FOLDER = 4096
};

#define MAGIC UINT64_C(0x4d50475062756c64)

/* The memory that a helper shares with the process that started it. */
struct memory {
    uint64_t magic;
    char id[sizeof gpu_images_id]; /* identifies the starter's build of the library */
    pid_t starter;
    bool uses_kernels_of_gpus;
    char cache[FOLDER]; /* gpu_set_cache_dir, absolute, */
    char pocl[FOLDER];  /* POCL_CACHE_DIR of the starting process, or "" */
    struct builds builds;
};

/* ---- in the process that starts helpers */

static LARGE_ZERO char program[FOLDER];
static int file; /* descriptor of the shared memory, valid from helpers_share to helpers_start */

void gpu_set_build_helper(const char *path) {
    if (strlen(path) < sizeof program)
        strcpy(program, path);
}

static bool find_cache(char folder[FOLDER]) {
    char given[FOLDER], here[FOLDER];
    if (!cache_get_dir(given, sizeof given) || !getcwd(here, sizeof here))
        return false;
    const bool is_whole = given[0] == '/';
    return snprintf(folder, FOLDER, "%s%s%s", is_whole ? "" : here, is_whole ? "" : "/", given) <
           FOLDER;
}

/* Copies POCL_CACHE_DIR to `folder`. Replaces /proc/self/fd/N by its real path, because a helper
 * does not have descriptor N (own_process_begin). */
static void find_pocl(char folder[FOLDER]) {
    const char *given = getenv("POCL_CACHE_DIR");
    if (given && strlen(given) < FOLDER && readlink(given, folder, FOLDER - 1) <= 0)
        strcpy(folder, given);
}

static struct memory *make_memory(void) {
    const size_t bytes = sizeof(struct memory);
    file = (int)syscall(SYS_memfd_create, "mpgpu", MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    struct memory *memory = MAP_FAILED;
    if (syscall(SYS_ftruncate, file, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
        return memory;
    close(file);
    return NULL;
}

struct builds *helpers_share(void) {
    char cache[FOLDER];
    const char *reason = detached_forbidden();
    if (reason)
        gpu_log(GPU_LOG_DETAIL, "no helpers for builds: %s", reason);
    struct memory *memory = *program && !reason && find_cache(cache) ? make_memory() : NULL;
    if (!memory)
        return NULL;
    memory->magic = MAGIC;
    memcpy(memory->id, gpu_images_id, sizeof memory->id);
    memory->starter = getpid();
    memory->uses_kernels_of_gpus = gpu_uses_kernels_of_gpus();
    strcpy(memory->cache, cache);
    find_pocl(memory->pocl);
    return &memory->builds;
}

void helpers_start(unsigned programs) {
    char *const arguments[] = {program, GPU_BUILD_HELPER, NULL};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int error = 0;
    pid_t pid;
    for (unsigned i = 0; i < programs && i < MOST_HELPERS && i < cores && error == 0; i++)
        error = detached_start(program, arguments, file, NULL, &pid);
    if (error)
        gpu_log(GPU_LOG_WARNING, "%s: %s", program, strerror(error));
    close(file);
}

/* ---- a helper */

/* Ends this helper when the process that started it has ended. Also kills the driver's linker, a
 * process of this helper's group that would still write into the cache. */
static void *watch_starter(void *memory) {
    const pid_t starter = ((struct memory *)memory)->starter;
    while (!detached_has_ended(starter))
        poll(NULL, 0, LOOK_MS);
    if (getpgrp() == getpid())
        kill(0, SIGKILL);
    _exit(0);
}

/* Maps the memory shared with the starting process. Returns NULL if descriptor DETACHED_FILE does
 * not refer to such memory. */
static struct memory *find_memory(void) {
    struct stat status;
    if (fstat(DETACHED_FILE, &status) != 0 || status.st_size != (off_t)sizeof(struct memory))
        return NULL;
    struct memory *memory =
        mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE, MAP_SHARED, DETACHED_FILE, 0);
    close(DETACHED_FILE);
    return memory != MAP_FAILED && memory->magic == MAGIC &&
                   memcmp(memory->id, gpu_images_id, sizeof memory->id) == 0
               ? memory
               : NULL;
}

static bool prepare(struct memory *memory) {
    pthread_t thread;
    gpu_set_cache_dir(memory->cache);
    if (*memory->pocl)
        setenv("POCL_CACHE_DIR", memory->pocl, true);
    if (memory->uses_kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    own_process_begin();
    builds_share(&memory->builds, NULL);
    return pthread_create(&thread, NULL, watch_starter, memory) == 0;
}

/* Returns true if this helper should also build the programs that the device's first result does
 * not need. Counts such helpers, because only a few may do so. */
static bool stays(struct builds *builds) {
    return atomic_fetch_add(&builds->later, 1) < (builds->simd ? LATER_CPU : LATER_HELPERS);
}

static void build_from(const struct gpu_backend *backend, gpu_device_impl *dev,
                       const struct builds_list *list, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++)
        backend->build_ahead(dev, list->program[i]);
}

/* Builds programs with the only backend that builds at run time, OpenCL. */
static void work(struct builds *builds) {
    const struct builds_list *missing = &builds->missing;
    const unsigned first = builds->at_once ? missing->count : missing->first;
    gpu_device_impl *dev;
    int i = 0;
    while (gpu_backends[i] && !gpu_backends[i]->build_ahead)
        i++;
    if (!gpu_backends[i] || gpu_backends[i]->open(builds->device, &dev) != GPU_OK)
        return;
    build_from(gpu_backends[i], dev, missing, 0, first);
    if (first < missing->count && stays(builds) && nice(NICE) != -1)
        build_from(gpu_backends[i], dev, missing, first, missing->count);
}

int gpu_help_building(void) {
    own_process_is_ended_first();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* no core dump: nobody would read it */
    struct memory *memory = find_memory();
    if (!memory || !prepare(memory))
        return 2;
    work(&memory->builds);
    _exit(0);
}
