/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server's device as a backend: each function asks the server (tools/serve/) to call the same
 * one of the device's own backend. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/kernels.h"
#include "gpu/served/served_channel.h"
#include "gpu/served/served_host.h"
#include "gpu/served/served_queue.h"
#include "gpu/served/served_socket.h"

enum { LEAST_CPUS = 4 }; /* to spin on */

struct gpu_device_impl {
    unsigned place;        /* among the server's */
    pthread_mutex_t mutex; /* for the kernels */
    struct gpu_kernels kernels;
    struct gpu_texts texts;
};

#define REQUEST(name, ...) ((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

static enum gpu_status call(struct served_request request, uint64_t *value) {
    return served_call(served_channel_own(), &request, value);
}

/* ---- the device */

static struct served_welcome welcome; /* of the connection */

unsigned served_place(const gpu_device_impl *dev) {
    return dev->place;
}

/* The place of the device with that number, or SERVED_DEVICES. */
static unsigned find_place(int index) {
    unsigned i = 0;
    while (i < welcome.devices && welcome.offer[i].index != index)
        i++;
    return i < welcome.devices ? i : SERVED_DEVICES;
}

static int served_enumerate(struct gpu_caps *caps, int max) {
    (void)caps, (void)max;
    return 0;
}

static enum gpu_status served_open(int index, gpu_device_impl **devp) {
    unsigned place = find_place(index);
    if (!served_memory() || place == SERVED_DEVICES)
        return gpu_fail(GPU_ABSENT, "no connection with mpgpu-serve");
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    pthread_mutex_init(&dev->mutex, NULL);
    dev->place = place;
    served_users(1);
    *devp = dev;
    return GPU_OK;
}

/* The last one takes the connection with it. */
static void served_close(gpu_device_impl *dev) {
    if (served_users(-1) == 0) {
        served_disconnect();
        served_host_forget();
    }
    gpu_texts_close(&dev->texts, NULL);
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

static enum gpu_status served_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    memp->h = 0;
    return call(REQUEST(ALLOC, bytes, dev->place), &memp->h);
}

/* What was put into other channels may use it. */
static void served_release(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h != 0 && served_drain((int)dev->place) == GPU_OK)
        call(REQUEST(RELEASE, mem.h), NULL);
}

/* ---- kernels */

static enum gpu_status make_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    enum gpu_status status = call(REQUEST(KERNEL, id, dev->place), NULL);
    if (status == GPU_OK)
        *kernelp = served_kernel_of(id);
    return status;
}

static enum gpu_status served_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                     gpu_kernel_impl **kernelp) {
    return gpu_kernels_get(&dev->kernels, &dev->mutex, dev, make_kernel, id, kernelp);
}

static enum gpu_status make_text(gpu_device_impl *dev, const struct gpu_text *text,
                                 gpu_kernel_impl **kernelp) {
    void *piece;
    uint64_t id, region, at;
    size_t bytes = strlen(text->body) + 1;
    enum gpu_status status = served_host_alloc(dev, bytes, &piece);
    if (status != GPU_OK)
        return status;
    memcpy(piece, text->body, bytes);
    status = served_host_place(piece, bytes, &region, &at)
                 ? call(REQUEST(BUILD, at, bytes, text->threads, dev->place), &id)
                 : gpu_fail(GPU_FAILED, "mpgpu-serve has ended");
    if (status == GPU_OK)
        *kernelp = served_kernel_of(id);
    served_host_release(dev, piece);
    return status;
}

static enum gpu_status served_build(gpu_device_impl *dev, const struct gpu_text *text,
                                    gpu_kernel_impl **kernelp) {
    return gpu_texts_get(&dev->texts, &dev->mutex, dev, make_text, text, kernelp);
}

/* ---- what has given known answers */

static void served_known(gpu_device_impl *dev, uint64_t *words) {
    struct served_shared *s = served_memory();
    for (int i = 0; i < GPU_KNOWN && s; i++)
        words[i] |= atomic_load(&s->known[dev->place][i]);
}

static void served_learn(gpu_device_impl *dev, const uint64_t *words) {
    struct served_shared *s = served_memory();
    for (uint64_t i = 0; i < GPU_KNOWN && s; i++)
        if (words[i] & ~atomic_fetch_or(&s->known[dev->place][i], words[i]))
            call(REQUEST(KNOW, i, words[i], dev->place), NULL);
}

/* ---- jobs */

static enum gpu_status served_run_job(gpu_device_impl *dev, uint64_t offset,
                                      enum gpu_served (*serve)(void *of, int64_t ns), void *of) {
    const struct served_request request = REQUEST(JOB, offset, dev->place);
    return served_call_serving(served_channel_own(), &request, serve, of);
}

static uint64_t served_modulus(const gpu_device_impl *dev) {
    const struct served_shared *s = served_memory();
    (void)dev;
    return s ? s->modulus : 0;
}

/* ---- the tables: one for each name that profiles know */

#define SERVED_BACKEND                                                                             \
    .is_served = true, .locks_for_all = true, .enumerate = served_enumerate, .open = served_open,  \
    .close = served_close, .alloc = served_alloc, .release = served_release,                       \
    .host_alloc = served_host_alloc, .host_release = served_host_release,                          \
    .host_register = served_host_register, .host_unregister = served_host_unregister,              \
    .host_view = served_host_view, .queue_open = served_queue_open,                                \
    .queue_close = served_queue_close, .write = served_write, .read = served_read,                 \
    .zero = served_zero,                                                                           \
    .kernel = served_kernel, .build = served_build, .launch = served_launch,                       \
    .event_record = served_event_record, .event_wait = served_event_wait,                          \
    .queue_wait = served_queue_wait, .event_release = served_event_release, .known = served_known, \
    .learn = served_learn, .tables = served_host_tables, .modulus = served_modulus,                \
    .run_job = served_run_job, .place = served_host_place

static const struct gpu_backend tables[] = {
    {.name = "cuda", .series = served_series, SERVED_BACKEND},
    {.name = "opencl", SERVED_BACKEND},
};

static const struct gpu_backend *table_of(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(name, tables[i].name) == 0)
            return &tables[i];
    return NULL;
}

/* Do the words of the options mean this device?  With `auto` CPUs have a round of their own. */
static bool is_meant(const struct served_offer *o, const char *backend, const char *device,
                     bool cpus) {
    bool by_name = strcasecmp(backend, "auto") != 0;
    return o->is_there && table_of(o->backend) &&
           (!by_name || strcasecmp(backend, o->backend) == 0) &&
           gpu_fits(device, o->index, &o->caps, cpus);
}

/* The device before which `rank` others fit, or NULL. */
static const struct served_offer *find(const char *backend, const char *device, unsigned rank) {
    for (int cpus = 0; cpus < 2; cpus++)
        for (unsigned i = 0; i < welcome.devices; i++)
            if (is_meant(&welcome.offer[i], backend, device, cpus) && rank-- == 0)
                return &welcome.offer[i];
    return NULL;
}

/* What the server says is text from elsewhere. */
static enum gpu_status connect_with(void) {
    enum gpu_status status = served_memory() ? GPU_OK : served_connect(&welcome);
    if (status != GPU_OK)
        return status;
    if (welcome.devices > SERVED_DEVICES)
        welcome.devices = SERVED_DEVICES;
    for (unsigned i = 0; i < welcome.devices; i++) {
        struct served_offer *o = &welcome.offer[i];
        o->backend[sizeof o->backend - 1] = '\0';
        o->caps.name[sizeof o->caps.name - 1] = '\0';
        o->caps.driver[sizeof o->caps.driver - 1] = '\0';
    }
    bool is_cpu = welcome.devices == 0 || welcome.offer[0].caps.is_cpu;
    served_set_spin(!is_cpu && sysconf(_SC_NPROCESSORS_ONLN) >= LEAST_CPUS);
    return GPU_OK;
}

enum gpu_status gpu_find_served(const char *backend, const char *device, unsigned rank,
                                struct gpu_device *devp) {
    *devp = (struct gpu_device){.backend = NULL};
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    enum gpu_status status = connect_with();
    if (status != GPU_OK)
        return status;
    const struct served_offer *o = find(backend, device, rank);
    if (!o)
        return gpu_fail(GPU_ABSENT, "mpgpu-serve has another device: %s: %s",
                        welcome.offer[0].backend, welcome.offer[0].caps.name);
    *devp =
        (struct gpu_device){.backend = table_of(o->backend), .caps = o->caps, .index = o->index};
    return GPU_OK;
}

bool gpu_served_may_run(void) {
    char path[SERVED_PATH];
    return served_socket_path(path, false) && access(path, F_OK) == 0;
}

void gpu_forgo_served(void) {
    if (served_users(0) == 0)
        served_disconnect();
}

bool gpu_served_list(char *text, size_t size) {
    struct served_hello hello = {.wish = SERVED_LIST};
    struct served_welcome list;
    int file;
    pid_t peer;
    if (served_socket_ask(&hello, &list, &file, &peer) != GPU_OK)
        return false;
    if (file >= 0)
        close(file);
    list.version[sizeof list.version - 1] = '\0';
    snprintf(text, size, "process %d, version %s, %s", (int)list.process, list.version, list.text);
    return true;
}
