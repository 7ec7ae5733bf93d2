/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend whose two or three devices ("twins") are one real device, opened several times. */
#include "config.h"

#include "tests/support/twin_backend.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/devices.h"
#include "tests/support/twin_impl.h"

#if WITH_CUDA
extern const struct gpu_backend cuda_backend;
#endif
#if WITH_OPENCL
extern const struct gpu_backend opencl_backend;
#endif

struct twin twins[TWINS_MOST];
int twin_count = TWINS, twin_small = -1;
static const struct gpu_backend *real;
static int is_cpu;
static atomic_int answers;

/* Records which simulated device (twin) owns which device memory. */
enum { MOST_MEMORY = 4096 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t h;
    int index;
} memory[MOST_MEMORY];

const struct gpu_backend *twin_real(void) {
    static const struct gpu_backend *const all[] = {
#if WITH_CUDA
        &cuda_backend,
#endif
#if WITH_OPENCL
        &opencl_backend,
#endif
        NULL
    };
    for (int i = 0; all[i] && !real; i++)
        if (devices_of(all[i]) > 0)
            real = all[i];
    return real;
}

void twin_answer(void) {
    atomic_store(&answers, 1);
}

enum gpu_status twin_due(int index) {
    struct twin *t = &twins[index];
    if (atomic_fetch_add(&t->calls, 1) + 1 != atomic_load(&t->call))
        return GPU_OK;
    while (atomic_load(&t->status) == TWIN_HANGS && !atomic_load(&answers))
        usleep(1000);
    int status = atomic_load(&t->status);
    return status == TWIN_HANGS ? GPU_OK : (enum gpu_status)status;
}

/* ---- memory */

/* the entries of memory[] at or above this index are unused; changed under the mutex */
static int memory_used;

static void note(gpu_mem mem, int index) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_MEMORY; i++)
        if (memory[i].h == 0) {
            memory[i].h = mem.h;
            memory[i].index = index;
            memory_used = i < memory_used ? memory_used : i + 1;
            break;
        }
    pthread_mutex_unlock(&mutex);
}

static void forget(gpu_mem mem, int index) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < memory_used; i++)
        if (memory[i].h == mem.h && memory[i].index == index) {
            memory[i].h = 0;
            break;
        }
    pthread_mutex_unlock(&mutex);
}

/* Counts an error ("stray") if a device uses memory that belongs only to another of the simulated
 * devices (twins). */
void twin_look(gpu_mem mem, int index) {
    int own = 0, others = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < memory_used; i++)
        if (mem.h && memory[i].h == mem.h)
            *(memory[i].index == index ? &own : &others) = 1;
    pthread_mutex_unlock(&mutex);
    if (others && !own)
        atomic_fetch_add(&twins[index].strays, 1);
}

static enum gpu_status twin_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    enum gpu_status status = twin_due(twin_device(dev)->index);
    if (status == GPU_OK)
        status = real->alloc(twin_device(dev)->real, bytes, memp);
    if (status == GPU_OK) {
        note(*memp, twin_device(dev)->index);
        atomic_fetch_add(&twins[twin_device(dev)->index].buffers, 1);
    }
    return status;
}

static void twin_release(gpu_device_impl *dev, gpu_mem mem) {
    twin_look(mem, twin_device(dev)->index);
    forget(mem, twin_device(dev)->index);
    real->release(twin_device(dev)->real, mem);
    atomic_fetch_sub(&twins[twin_device(dev)->index].buffers, 1);
}

static enum gpu_status twin_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    return real->host_alloc(twin_device(dev)->real, bytes, hostp);
}

static void twin_host_release(gpu_device_impl *dev, void *host) {
    real->host_release(twin_device(dev)->real, host);
}

static enum gpu_status twin_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    return real->host_register(twin_device(dev)->real, host, bytes);
}

static void twin_host_unregister(gpu_device_impl *dev, void *host) {
    real->host_unregister(twin_device(dev)->real, host);
}

static enum gpu_status twin_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    return real->host_view(twin_device(dev)->real, host, viewp);
}

/* ---- devices */

static int twin_enumerate(struct gpu_caps *caps, int max) {
    static const char *const names[TWINS_MOST] = {"first", "second", "third"};
    struct gpu_caps one;
    if (real->enumerate(&one, 1) < 1)
        return 0;
    is_cpu = one.is_cpu;
    for (int i = 0; i < twin_count && i < max; i++) {
        caps[i] = one;
        caps[i].compute_units /= i == twin_small ? 2 : 1;
        snprintf(caps[i].name, sizeof caps[i].name, "twin %s", names[i]);
    }
    return twin_count;
}

static enum gpu_status twin_open(int index, gpu_device_impl **devp) {
    struct twin_device *d = malloc(sizeof *d);
    enum gpu_status status = (enum gpu_status)atomic_load(&twins[index].open);
    d->index = index;
    if (status == GPU_OK)
        status = real->open(0, &d->real);
    *devp = (gpu_device_impl *)(void *)d;
    return status;
}

static void twin_close(gpu_device_impl *dev) {
    real->close(twin_device(dev)->real);
    free(dev);
}

static enum gpu_status twin_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    twin_note_kernel(id);
    return real->kernel(twin_device(dev)->real, id, kernelp);
}

static enum gpu_status twin_build(gpu_device_impl *dev, const struct gpu_text *text,
                                  gpu_kernel_impl **kernelp) {
    return real->build ? real->build(twin_device(dev)->real, text, kernelp) : GPU_NOBUILD;
}

/* ---- queues */

static enum gpu_status twin_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    struct twin_queue *q = malloc(sizeof *q);
    q->index = twin_device(dev)->index;
    *queuep = (gpu_queue_impl *)(void *)q;
    return real->queue_open(twin_device(dev)->real, &q->real);
}

static void twin_queue_close(gpu_queue_impl *q) {
    real->queue_close(twin_queue(q)->real);
    free(q);
}

static enum gpu_status twin_write(gpu_queue_impl *q, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes) {
    twin_look(dst, twin_queue(q)->index);
    enum gpu_status status = twin_due(twin_queue(q)->index);
    atomic_fetch_add(&twins[twin_queue(q)->index].uploaded, (long)bytes);
    return status ? status : real->write(twin_queue(q)->real, dst, offset, src, bytes);
}

static enum gpu_status twin_read(gpu_queue_impl *q, void *dst, gpu_mem src, size_t offset,
                                 size_t bytes) {
    twin_look(src, twin_queue(q)->index);
    enum gpu_status status = twin_due(twin_queue(q)->index);
    return status ? status : real->read(twin_queue(q)->real, dst, src, offset, bytes);
}

static enum gpu_status twin_zero(gpu_queue_impl *q, gpu_mem dst, size_t offset, size_t bytes) {
    twin_look(dst, twin_queue(q)->index);
    enum gpu_status status = twin_due(twin_queue(q)->index);
    return status ? status : real->zero(twin_queue(q)->real, dst, offset, bytes);
}

static enum gpu_status twin_copy(gpu_queue_impl *q, gpu_mem dst, gpu_mem src, size_t bytes) {
    twin_look(dst, twin_queue(q)->index);
    twin_look(src, twin_queue(q)->index);
    enum gpu_status status = twin_due(twin_queue(q)->index);
    return status ? status : real->copy(twin_queue(q)->real, dst, src, bytes);
}

/* Launches a kernel while no other launch runs: on a CPU, two kernels must not run at once. */
static enum gpu_status launch_alone(gpu_queue_impl *q, gpu_kernel_impl *kernel, unsigned groups_x,
                                    unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    struct gpu_queue all = {.backend = real, .impl = q};
    pthread_mutex_lock(&turn);
    enum gpu_status status = real->launch(q, kernel, groups_x, groups_y, args, nargs);
    status = status ? status : gpu_finish(&all);
    pthread_mutex_unlock(&turn);
    return status;
}

static enum gpu_status twin_launch(gpu_queue_impl *q, gpu_kernel_impl *kernel, unsigned groups_x,
                                   unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    struct twin *t = &twins[twin_queue(q)->index];
    while (atomic_load(&t->launch) == TWIN_HANGS && !atomic_load(&answers))
        usleep(1000);
    if (atomic_load(&t->launch) > 0)
        return (enum gpu_status)atomic_load(&t->launch);
    for (unsigned i = 0; i < nargs; i++)
        if (args[i].kind == GPU_ARG_MEM)
            twin_look(args[i].v.mem, twin_queue(q)->index);
    atomic_fetch_add(&t->launches, 1);
    enum gpu_status status = twin_due(twin_queue(q)->index);
    if (status == GPU_OK)
        status = (is_cpu ? launch_alone : real->launch)(twin_queue(q)->real, kernel, groups_x,
                                                        groups_y, args, nargs);
    return status == GPU_OK ? twin_spoil_launch(twin_queue(q), args, nargs) : status;
}

static enum gpu_status twin_event_record(gpu_queue_impl *q, gpu_event_impl **eventp) {
    enum gpu_status status = twin_due(twin_queue(q)->index);
    return status ? status : real->event_record(twin_queue(q)->real, eventp);
}

static enum gpu_status twin_event_wait(gpu_event_impl *event) {
    return real->event_wait(event);
}

static enum gpu_status twin_queue_wait(gpu_queue_impl *q, gpu_event_impl *event) {
    enum gpu_status status = twin_due(twin_queue(q)->index);
    return status ? status : real->queue_wait(twin_queue(q)->real, event);
}

static void twin_event_release(gpu_event_impl *event) {
    real->event_release(event);
}

const struct gpu_backend twin_backend = {
    .name = "twin",
    .enumerate = twin_enumerate,
    .open = twin_open,
    .close = twin_close,
    .alloc = twin_alloc,
    .release = twin_release,
    .host_alloc = twin_host_alloc,
    .host_release = twin_host_release,
    .host_register = twin_host_register,
    .host_unregister = twin_host_unregister,
    .host_view = twin_host_view,
    .queue_open = twin_queue_open,
    .queue_close = twin_queue_close,
    .write = twin_write,
    .read = twin_read,
    .zero = twin_zero,
    .copy = twin_copy,
    .peer_copy = twin_peer_copy,
    .kernel = twin_kernel,
    .build = twin_build,
    .launch = twin_launch,
    .event_record = twin_event_record,
    .event_wait = twin_event_wait,
    .queue_wait = twin_queue_wait,
    .event_release = twin_event_release,
};
