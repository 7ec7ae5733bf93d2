/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GPU backends for tests whose device is the host: they run the kernels compiled as host C. */
#include "config.h"

#include "tests/kernels/host_backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/error.h"
#include "lib/selftest/known_answer.h"
#include "tests/kernels/host_group.h"
#include "tests/kernels/host_memory.h"

enum form { AS_OPENCL, CLUSTER, FORMS };
enum { MOST_KERNELS = 16 }; /* of a program */

struct gpu_device_impl {
    enum form form;
};
static struct gpu_device_impl devices[FORMS] = {{AS_OPENCL}, {CLUSTER}};

struct gpu_queue_impl {
    int unused;
};
struct gpu_event_impl {
    int unused;
};
static struct gpu_queue_impl the_queue; /* is always empty */
static struct gpu_event_impl the_event; /* has always happened */

struct gpu_kernel_impl {
    const struct gpu_kernel_head *head;
    const struct host_kernel *kernel;
    unsigned char *launched;
};

/* ---- the programs */

#define PROGRAM(id, file, defines) const struct host_kernel *host_##id(void), *cluster_##id(void);
#include "kernels/programs.def"
#undef PROGRAM

static const struct {
    const char *name;
    const struct host_kernel *(*kernels[FORMS])(void);
} programs[GPU_PROGRAMS] = {
#define PROGRAM(id, file, defines) {#id, {host_##id, cluster_##id}},
#include "kernels/programs.def"
#undef PROGRAM
};

/* Returns the form in which the program's kernels are compiled: AS_OPENCL if `form` has no
 * kernels of its own, otherwise `form`. */
static enum form form_of(int program, enum form form) {
    return programs[program].kernels[form]() == programs[program].kernels[AS_OPENCL]() ? AS_OPENCL
                                                                                       : form;
}

/* Which kernels have been launched; in memory that all test processes share. */
struct shared {
    unsigned char launched[FORMS][GPU_PROGRAMS][MOST_KERNELS];
};
static struct shared *shared;

void host_share(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
}

static int count_idle(int program, enum form form) {
    const struct host_kernel *kernels = programs[program].kernels[form]();
    int idle = 0;
    for (int k = 0; kernels[k].name && form_of(program, form) == form; k++)
        if (!shared->launched[form][program][k]) {
            printf("never launched: kernel %s of program %s%s\n", kernels[k].name,
                   programs[program].name, form == CLUSTER ? ", groups in a cluster" : "");
            idle++;
        }
    return idle;
}

int host_count_idle(void) {
    int idle = 0;
    for (int program = 0; program < GPU_PROGRAMS; program++)
        for (int form = 0; form < FORMS; form++)
            idle += count_idle(program, (enum form)form);
    return idle;
}

/* ---- the device */

bool host_verifies;

enum gpu_status __real_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan);
enum gpu_status __wrap_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan);

enum gpu_status __wrap_known_answer_ensure(struct context *s, unsigned key, size_t n,
                                           known_answer_run *run, const void *plan) {
    if (!shared || host_verifies)
        return __real_known_answer_ensure(s, key, n, run, plan);
    s->known[key / 64] |= UINT64_C(1) << key % 64;
    return GPU_OK;
}

bool host_has_groups = true;
const char *host_lazy;

static bool is_lazy(const gpu_kernel_impl *kernel) {
    return host_lazy && strncmp(kernel->head->name, host_lazy, strlen(host_lazy)) == 0;
}

static void fill_caps(struct gpu_caps *caps, enum form form) {
    *caps = (struct gpu_caps){.vendor = "none", .driver = "none", .doubles = true};
    snprintf(caps->name, sizeof caps->name, "%s", form == CLUSTER ? "cluster" : "host");
    caps->compute_units = 4;
    caps->max_group = HOST_MOST_ITEMS;
    caps->cluster = form == CLUSTER ? HOST_MOST_CLUSTER : 0;
    caps->fast_doubles = form == CLUSTER;
    caps->matrix_units = form == CLUSTER;
    caps->matrix_groups = form == CLUSTER && host_has_groups;
    caps->local_bytes = 48 << 10; /* LOCAL_BYTES */
    caps->memory_bytes = (uint64_t)4 << 30;
    caps->max_alloc = (uint64_t)1 << 29;
}

static int enumerate_host(struct gpu_caps *caps, int max) {
    if (max > 0)
        fill_caps(caps, AS_OPENCL);
    return 1;
}

static int enumerate_cluster(struct gpu_caps *caps, int max) {
    if (max > 0)
        fill_caps(caps, CLUSTER);
    return 1;
}

static enum gpu_status open_host(int index, gpu_device_impl **devp) {
    *devp = &devices[AS_OPENCL];
    return index == 0 ? GPU_OK : gpu_fail(GPU_ABSENT, "no such device");
}

static enum gpu_status open_cluster(int index, gpu_device_impl **devp) {
    *devp = &devices[CLUSTER];
    return index == 0 ? GPU_OK : gpu_fail(GPU_ABSENT, "no such device");
}

static void close_device(gpu_device_impl *dev) {
    (void)dev;
}

/* Launches lock this mutex, because the emulated device runs one launch at a time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- memory */

static void *pointer(gpu_mem mem, size_t offset) {
    return (char *)(uintptr_t)mem.h + offset;
}

static enum gpu_status take(size_t bytes, int of_host, void **bufferp) {
    pthread_mutex_lock(&mutex);
    *bufferp = memory_new(bytes, of_host);
    pthread_mutex_unlock(&mutex);
    return *bufferp ? GPU_OK : gpu_fail(GPU_NOMEM, "no memory for %zu bytes", bytes);
}

static enum gpu_status alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    void *buffer;
    (void)dev;
    enum gpu_status status = take(bytes, 0, &buffer);
    memp->h = (uintptr_t)buffer;
    return status;
}

static void release(gpu_device_impl *dev, gpu_mem mem) {
    (void)dev;
    pthread_mutex_lock(&mutex);
    if (mem.h != 0)
        memory_give(pointer(mem, 0));
    pthread_mutex_unlock(&mutex);
}

static enum gpu_status host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    (void)dev;
    return take(bytes, 1, hostp);
}

static void host_release(gpu_device_impl *dev, void *host) {
    release(dev, (gpu_mem){(uintptr_t)host});
}

static enum gpu_status host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    (void)dev, (void)host, (void)bytes;
    return gpu_fail(GPU_ABSENT, "no memory is page-locked");
}

static void host_unregister(gpu_device_impl *dev, void *host) {
    (void)dev, (void)host;
}

static enum gpu_status host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    (void)dev;
    viewp->h = (uintptr_t)host;
    return GPU_OK;
}

/* ---- queues and events */

static enum gpu_status queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    (void)dev;
    *queuep = &the_queue;
    return GPU_OK;
}

static void queue_close(gpu_queue_impl *queue) {
    (void)queue;
}

static enum gpu_status write_buffer(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                    const void *src, size_t bytes) {
    (void)queue;
    pthread_mutex_lock(&mutex);
    memory_filled(pointer(dst, offset), bytes);
    memcpy(pointer(dst, offset), src, bytes);
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

static enum gpu_status read_buffer(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                                   size_t bytes) {
    (void)queue;
    pthread_mutex_lock(&mutex);
    memory_fetched(pointer(src, offset), bytes);
    memcpy(dst, pointer(src, offset), bytes);
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

static enum gpu_status zero_buffer(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                   size_t bytes) {
    (void)queue;
    pthread_mutex_lock(&mutex);
    memory_filled(pointer(dst, offset), bytes);
    memset(pointer(dst, offset), 0, bytes);
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

static enum gpu_status copy_buffer(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes) {
    (void)queue;
    pthread_mutex_lock(&mutex);
    memory_filled(pointer(dst, 0), bytes);
    memcpy(pointer(dst, 0), pointer(src, 0), bytes);
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

static enum gpu_status event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    (void)queue;
    *eventp = &the_event;
    return GPU_OK;
}

static enum gpu_status event_wait(gpu_event_impl *event) {
    (void)event;
    return GPU_OK;
}

static enum gpu_status queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    (void)queue, (void)event;
    return GPU_OK;
}

static void event_release(gpu_event_impl *event) {
    (void)event;
}

/* ---- kernels */

/* Returns the kernel's index in its program's table, or MOST_KERNELS if the kernel is not in the
 * table. */
static int place_of(const struct host_kernel *kernels, const char *name) {
    for (int k = 0; k < MOST_KERNELS && kernels[k].name; k++)
        if (strcmp(kernels[k].name, name) == 0)
            return k;
    return MOST_KERNELS;
}

static enum gpu_status get_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                  gpu_kernel_impl **kernelp) {
    static struct gpu_kernel_impl impls[FORMS][GPU_KERNELS];
    if ((unsigned)id >= GPU_KERNELS)
        return gpu_fail(GPU_NOBUILD, "no kernel %u", (unsigned)id);
    const struct gpu_kernel_head *head = &gpu_kernel_heads[id];
    const struct host_kernel *kernels = programs[head->program].kernels[dev->form]();
    enum form form = form_of((int)head->program, dev->form);
    int k = place_of(kernels, head->name);
    if (k == MOST_KERNELS)
        return gpu_fail(GPU_NOBUILD, "no kernel %s", head->name);
    *kernelp = &impls[form][id];
    pthread_mutex_lock(&mutex);
    **kernelp = (gpu_kernel_impl){head, &kernels[k],
                                  shared ? &shared->launched[form][head->program][k] : NULL};
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

static enum gpu_status launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    const char *program = programs[kernel->head->program].name;
    (void)queue;
    if (is_lazy(kernel))
        return GPU_OK;
    pthread_mutex_lock(&mutex);
    host_launch(&(struct host_launch){program, kernel->kernel, groups_x, groups_y,
                                      kernel->head->threads, args, nargs});
    if (kernel->launched)
        *kernel->launched = 1;
    pthread_mutex_unlock(&mutex);
    return GPU_OK;
}

#define BACKEND(word, its)                                                                         \
    {                                                                                              \
        .name = word, .enumerate = enumerate_##its, .open = open_##its, .close = close_device,     \
        .alloc = alloc, .release = release, .host_alloc = host_alloc,                              \
        .host_release = host_release, .host_register = host_register,                              \
        .host_unregister = host_unregister, .host_view = host_view, .queue_open = queue_open,      \
        .queue_close = queue_close, .write = write_buffer, .read = read_buffer,                    \
        .zero = zero_buffer, .copy = copy_buffer, .kernel = get_kernel, .launch = launch,          \
        .event_record = event_record, .event_wait = event_wait, .queue_wait = queue_wait,          \
        .event_release = event_release,                                                            \
    }
/* Named after the real backends, so that the option `backend` accepts their names. */
static const struct gpu_backend host_backend = BACKEND("opencl", host);
static const struct gpu_backend cluster_backend = BACKEND("cuda", cluster);

const struct gpu_backend *const gpu_backends[] = {&host_backend, &cluster_backend, NULL};
