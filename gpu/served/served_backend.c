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

static int served_enumerate(struct gpu_caps *caps, int max) {
    (void)caps, (void)max;
    return 0;
}

static enum gpu_status served_open(int index, gpu_device_impl **devp) {
    (void)index;
    if (!served_memory())
        return gpu_fail(GPU_ABSENT, "no connection with mpgpu-serve");
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    pthread_mutex_init(&dev->mutex, NULL);
    *devp = dev;
    return GPU_OK;
}

static void served_close(gpu_device_impl *dev) {
    served_disconnect();
    served_host_forget();
    gpu_texts_close(&dev->texts, NULL);
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

static enum gpu_status served_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    (void)dev;
    memp->h = 0;
    return call(REQUEST(ALLOC, bytes), &memp->h);
}

/* What was put into other channels may use it. */
static void served_release(gpu_device_impl *dev, gpu_mem mem) {
    (void)dev;
    if (mem.h != 0 && served_drain() == GPU_OK)
        call(REQUEST(RELEASE, mem.h), NULL);
}

/* ---- kernels */

static enum gpu_status make_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    (void)dev;
    enum gpu_status status = call(REQUEST(KERNEL, id), NULL);
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
                 ? call(REQUEST(BUILD, at, bytes, text->threads), &id)
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
    (void)dev;
    for (int i = 0; i < GPU_KNOWN && s; i++)
        words[i] |= atomic_load(&s->known[i]);
}

static void served_learn(gpu_device_impl *dev, const uint64_t *words) {
    struct served_shared *s = served_memory();
    (void)dev;
    for (uint64_t i = 0; i < GPU_KNOWN && s; i++)
        if (words[i] & ~atomic_fetch_or(&s->known[i], words[i]))
            call(REQUEST(KNOW, i, words[i]), NULL);
}

/* ---- the tables: one for each name that profiles know */

#define SERVED_BACKEND                                                                             \
    .is_served = true, .enumerate = served_enumerate, .open = served_open, .close = served_close,  \
    .alloc = served_alloc, .release = served_release, .host_alloc = served_host_alloc,             \
    .host_release = served_host_release, .host_register = served_host_register,                    \
    .host_unregister = served_host_unregister, .host_view = served_host_view,                      \
    .queue_open = served_queue_open, .queue_close = served_queue_close, .write = served_write,     \
    .read = served_read, .zero = served_zero, .kernel = served_kernel, .build = served_build,      \
    .launch = served_launch, .event_record = served_event_record, .event_wait = served_event_wait, \
    .queue_wait = served_queue_wait, .event_release = served_event_release, .known = served_known, \
    .learn = served_learn, .tables = served_host_tables

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

/* Do the words of the options mean this device? */
static bool is_meant(const char *backend, const char *device) {
    bool by_name = strcasecmp(backend, "auto") != 0;
    return (!by_name || strcasecmp(backend, welcome.backend) == 0) &&
           (gpu_fits(device, welcome.index, &welcome.caps, false) ||
            gpu_fits(device, welcome.index, &welcome.caps, true));
}

enum gpu_status gpu_find_served(const char *backend, const char *device, struct gpu_device *devp) {
    *devp = (struct gpu_device){.backend = NULL};
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    enum gpu_status status = served_connect(&welcome);
    if (status != GPU_OK)
        return status;
    served_set_spin(!welcome.caps.is_cpu && sysconf(_SC_NPROCESSORS_ONLN) >= LEAST_CPUS);
    welcome.caps.name[sizeof welcome.caps.name - 1] = '\0';
    welcome.caps.driver[sizeof welcome.caps.driver - 1] = '\0';
    const struct gpu_backend *table = table_of(welcome.backend);
    if (!table || !is_meant(backend, device)) {
        served_disconnect();
        return gpu_fail(GPU_ABSENT, "mpgpu-serve has another device: %s: %s", welcome.backend,
                        welcome.caps.name);
    }
    *devp = (struct gpu_device){.backend = table, .caps = welcome.caps, .index = welcome.index};
    return GPU_OK;
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
    list.caps.name[sizeof list.caps.name - 1] = '\0';
    snprintf(text, size, "process %d, version %s, %s: %s\n%s", (int)list.process, list.version,
             list.backend, list.caps.name, list.text);
    return true;
}
