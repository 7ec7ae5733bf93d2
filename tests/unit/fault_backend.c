/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend that fails.  Devices, queues and events are the real ones. */
#include "config.h"

#include "fault_backend.h"

#include <pthread.h>
#include <unistd.h>

#include "lib/leaving.h"
#include "pinning.h"

#if WITH_CUDA
extern const struct gpu_backend cuda_backend;
#endif
#if WITH_OPENCL
extern const struct gpu_backend opencl_backend;
#endif

const struct gpu_backend *const fault_real_backends[] = {
#if WITH_CUDA
    &cuda_backend,
#endif
#if WITH_OPENCL
    &opencl_backend,
#endif
    NULL};

struct fault_plan fault_plan;
struct fault_count fault_count;
static atomic_int answers; /* calls hang no more */

/* Host memory that copies may touch. */
enum { MOST_BLOCKS = 8 };
static struct {
    char *host;
    size_t bytes;
} blocks[MOST_BLOCKS];

void fault_restart(void) {
    fault_plan = (struct fault_plan){.real = fault_plan.real, .devices = 1};
    atomic_store(&answers, 0);
    fault_count.calls = fault_count.reads = fault_count.launches = 0;
    fault_count.faults = fault_count.strays = 0;
    fault_count.kernels = fault_count.loose = 0;
}

void fault_forget(void) {
    fault_count.devices = fault_count.queues = fault_count.buffers = 0;
    fault_count.blocks = fault_count.events = fault_count.pins = 0;
    for (int i = 0; i < MOST_BLOCKS; i++)
        blocks[i].host = NULL;
}

void fault_answer(void) {
    atomic_store(&answers, 1);
}

static int hang(void) {
    while (!atomic_load(&answers))
        usleep(1000);
    return GPU_OK;
}

/* Counts a call: GPU_OK, or the status with which it is to fail. */
static int due(void) {
    long later = ++fault_count.calls - fault_plan.call;
    if (fault_plan.call == 0 || later < 0 ||
        (fault_plan.every ? later % fault_plan.every != 0 : later != 0))
        return GPU_OK;
    fault_count.faults++;
    return fault_plan.status == FAULT_HANGS ? hang() : fault_plan.status;
}

/* A call that makes something: count what is alive if it did. */
static int made(int status, atomic_long *alive) {
    *alive += status == GPU_OK;
    return status;
}

static int fault_enumerate(struct gpu_caps *caps, int max) {
    struct gpu_caps real;
    if (fault_plan.real->enumerate(&real, 1) < 1)
        return 0;
    for (int i = 0; i < fault_plan.devices && i < max; i++)
        caps[i] = real;
    return fault_plan.devices;
}

static int fault_open(int index, gpu_device_impl **devp) {
    static gpu_device_impl *device;
    int status = due();
    if (status == GPU_OK && index >= fault_plan.devices)
        status = GPU_ABSENT;
    if (status == GPU_OK && !device)
        status = fault_plan.real->open(0, &device);
    if (status == GPU_OK)
        *devp = device;
    return made(status, &fault_count.devices);
}

static void fault_close(gpu_device_impl *dev) {
    (void)dev;
    fault_count.devices--;
}

static int fault_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    int status = due();
    if (status == GPU_OK && fault_plan.most > 0 && bytes > fault_plan.most) {
        fault_count.faults++;
        status = GPU_NOMEM;
    }
    if (status == GPU_OK)
        status = fault_plan.real->alloc(dev, bytes, memp);
    return made(status, &fault_count.buffers);
}

static void fault_release(gpu_device_impl *dev, gpu_mem mem) {
    fault_count.buffers -= mem.h != 0;
    fault_plan.real->release(dev, mem);
}

static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;

static void note_block(char *host, size_t bytes) {
    int i = 0;
    pthread_mutex_lock(&blocks_mutex);
    while (i < MOST_BLOCKS && blocks[i].host)
        i++;
    if (i < MOST_BLOCKS) {
        blocks[i].host = host;
        blocks[i].bytes = bytes;
    }
    pthread_mutex_unlock(&blocks_mutex);
}

static void forget_block(const char *host) {
    pthread_mutex_lock(&blocks_mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].host == host)
            blocks[i].host = NULL;
    pthread_mutex_unlock(&blocks_mutex);
}

/* Is it part of a block? */
static int is_noted(const char *x, size_t bytes) {
    int found = 0;
    pthread_mutex_lock(&blocks_mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        found |=
            blocks[i].host && x >= blocks[i].host && x + bytes <= blocks[i].host + blocks[i].bytes;
    pthread_mutex_unlock(&blocks_mutex);
    return found;
}

static int fault_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    int status = due();
    if (status == GPU_OK)
        status = fault_plan.real->host_alloc(dev, bytes, hostp);
    if (status == GPU_OK)
        note_block(*hostp, bytes);
    return made(status, &fault_count.blocks);
}

static void fault_host_release(gpu_device_impl *dev, void *host) {
    fault_count.blocks--;
    forget_block(host);
    fault_plan.real->host_release(dev, host);
}

/* Not counted: where there is none, another way is taken. */
static int fault_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    return fault_plan.real->host_view(dev, host, viewp);
}

/* The pages that a copy goes to or comes from; counts copies that go round the page-locked
 * memory. */
static void *pages_of(const void *host, size_t bytes) {
    void *pages = pinning_pages(host, bytes);
    if (!pages && is_noted(host, bytes))
        pages = (void *)host;
    fault_count.strays += pages == NULL;
    return pages ? pages : (void *)host;
}

static int fault_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    (void)dev;
    int status = due();
    return made(status ? status : pinning_register(host, bytes), &fault_count.pins);
}

static void fault_host_unregister(gpu_device_impl *dev, void *host) {
    (void)dev;
    fault_count.pins--;
    pinning_unregister(host);
}

static int fault_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    int status = due();
    if (status == GPU_OK && fault_plan.queues > 0 && fault_count.queues >= fault_plan.queues) {
        fault_count.faults++;
        status = GPU_NOMEM;
    }
    if (status == GPU_OK)
        status = fault_plan.real->queue_open(dev, queuep);
    return made(status, &fault_count.queues);
}

static void fault_queue_close(gpu_queue_impl *queue) {
    fault_count.queues--;
    fault_plan.real->queue_close(queue);
}

static int fault_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                       size_t bytes) {
    src = pages_of(src, bytes);
    int status = due();
    return status ? status : fault_plan.real->write(queue, dst, offset, src, bytes);
}

/* Wait for what is in the queue, with the real backend. */
static int finish(gpu_queue_impl *queue) {
    gpu_event_impl *event;
    int status = fault_plan.real->event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = fault_plan.real->event_wait(event);
    fault_plan.real->event_release(event);
    return status;
}

static void flip(unsigned char *host, size_t bytes) {
    host[fault_plan.bit / 8 % bytes] ^= (unsigned char)(1u << fault_plan.bit % 8);
    fault_count.faults++;
}

/* Wait for a copy, and spoil what it has brought. */
static int spoil(gpu_queue_impl *queue, unsigned char *host, size_t bytes) {
    int status = finish(queue);
    flip(host, bytes);
    return status;
}

/* The first word of device memory. */
static int spoil_memory(gpu_queue_impl *queue, gpu_mem mem) {
    unsigned char word[4];
    int status = fault_plan.real->read(queue, word, mem, 0, sizeof word);
    status = status ? status : spoil(queue, word, sizeof word);
    status = status ? status : fault_plan.real->write(queue, mem, 0, word, sizeof word);
    return status ? status : finish(queue);
}

static int fault_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset, size_t bytes) {
    dst = pages_of(dst, bytes);
    int status = due();
    if (status == GPU_OK)
        status = fault_plan.real->read(queue, dst, src, offset, bytes);
    if (++fault_count.reads == fault_plan.read && status == GPU_OK)
        status = spoil(queue, dst, bytes);
    return status;
}

static int fault_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    int status = due();
    return status ? status : fault_plan.real->zero(queue, dst, offset, bytes);
}

static _Thread_local enum gpu_program last_program; /* whose kernel is launched next */

/* A launch that also gives the residues for its check: wrong memory behind it tells
 * nothing, so a constant is wrong while it runs. */
enum { TABLES_ARGUMENT = 11 };

static int checks_itself(void) {
    return last_program >= GPU_PROGRAM_block_ntt_8 && last_program <= GPU_PROGRAM_block_ntt_13;
}

static int fault_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                        gpu_kernel_impl **kernelp) {
    int status = due();
    last_program = program;
    if (++fault_count.kernels == fault_plan.kernel)
        leaving_begin();
    if (fault_count.kernels == fault_plan.refused && status == GPU_OK) {
        fault_count.faults++;
        status = GPU_NOBUILD;
    }
    return status ? status : fault_plan.real->kernel(dev, program, name, kernelp);
}

/* Is this launch the one that goes wrong? */
static int goes_wrong(void) {
    return last_program != GPU_PROGRAM_residue && last_program != GPU_PROGRAM_batch_check &&
           ++fault_count.launches == fault_plan.launch;
}

/* This thread's queue of the last launch, and the last event in it, with what it waits for. */
static _Thread_local struct {
    gpu_queue_impl *queue;
    gpu_event_impl *event;
    long launches;
} last;

static void note_launch(gpu_queue_impl *queue) {
    if (queue != last.queue)
        fault_count.loose = 0;
    last.queue = queue;
    fault_count.loose++;
}

static int fault_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                        unsigned groups_y, unsigned local, const struct gpu_arg *args,
                        unsigned nargs) {
    int status = due(), wrong = status == GPU_OK && goes_wrong();
    int before = wrong && checks_itself();
    gpu_mem mem = args[before ? TABLES_ARGUMENT : 0].v.mem;
    if (before)
        status = spoil_memory(queue, mem);
    if (status == GPU_OK)
        status = fault_plan.real->launch(queue, kernel, groups_x, groups_y, local, args, nargs);
    note_launch(queue);
    if (status == GPU_OK && wrong)
        status = spoil_memory(queue, mem); /* the second time it is right again */
    fault_count.faults -= before;
    return status;
}

static int fault_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    int status = due();
    if (status == GPU_OK)
        status = fault_plan.real->event_record(queue, eventp);
    if (status == GPU_OK && queue == last.queue) {
        last.event = *eventp;
        last.launches = fault_count.loose;
    }
    return made(status, &fault_count.events);
}

static int fault_event_wait(gpu_event_impl *event) {
    int status = due();
    if (status == GPU_OK)
        status = fault_plan.real->event_wait(event);
    if (status == GPU_OK && event == last.event) {
        fault_count.loose -= last.launches;
        last.launches = 0;
    }
    return status;
}

static int fault_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    int status = due();
    return status ? status : fault_plan.real->queue_wait(queue, event);
}

static void fault_event_release(gpu_event_impl *event) {
    fault_count.events--;
    fault_plan.real->event_release(event);
}

const struct gpu_backend fault_backend = {
    .name = "fault",
    .enumerate = fault_enumerate,
    .open = fault_open,
    .close = fault_close,
    .alloc = fault_alloc,
    .release = fault_release,
    .host_alloc = fault_host_alloc,
    .host_release = fault_host_release,
    .host_register = fault_host_register,
    .host_unregister = fault_host_unregister,
    .host_view = fault_host_view,
    .queue_open = fault_queue_open,
    .queue_close = fault_queue_close,
    .write = fault_write,
    .read = fault_read,
    .zero = fault_zero,
    .kernel = fault_kernel,
    .launch = fault_launch,
    .event_record = fault_event_record,
    .event_wait = fault_event_wait,
    .queue_wait = fault_queue_wait,
    .event_release = fault_event_release,
};
