/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The list of the server's devices: those of this process, and those of other members of its
 * group. */
#include "config.h"

#include <stdio.h>

#include "lib/session/session.h"
#include "tools/serve/serve.h"

struct serve_device serve_device[SERVED_DEVICES];
atomic_uint serve_devices, serve_own_devices;

/* Tests whether the device still works after a failure: allocates device memory and clears it. */
static bool works(const struct gpu_device *dev) {
    struct gpu_queue queue;
    gpu_mem mem;
    if (gpu_queue_open(dev, &queue) != GPU_OK)
        return false;
    enum gpu_status status = gpu_alloc(dev, 4096, &mem);
    if (status == GPU_OK) {
        status = gpu_zero(&queue, mem, 0, 4096);
        status = status == GPU_OK ? gpu_finish(&queue) : status;
        gpu_release(dev, mem);
    }
    gpu_queue_close(&queue);
    return status == GPU_OK || status == GPU_NOMEM;
}

bool serve_devices_check(void) {
    unsigned left = 0;
    if (serve_idle_is_closed())
        return true;
    for (unsigned i = 0; i < serve_devices; i++) {
        struct serve_device *d = &serve_device[i];
        bool is_suspect =
            atomic_exchange(&d->is_suspect, false) && !d->is_members && !atomic_load(&d->is_gone);
        if (is_suspect && !works(&d->dev)) {
            serve_log(1, "device %d has failed: %s", d->dev.index, d->dev.caps.name);
            atomic_store(&d->is_gone, true);
        }
        left += !atomic_load(&d->is_gone);
    }
    return left > 0;
}

void serve_devices_offer(struct served_welcome *w) {
    w->devices = serve_devices;
    for (unsigned i = 0; i < serve_devices; i++) {
        const struct gpu_device *dev = &serve_device[i].dev;
        struct served_offer *o = &w->offer[i];
        o->index = dev->index;
        o->is_there = !atomic_load(&serve_device[i].is_gone);
        snprintf(o->backend, sizeof o->backend, "%s", dev->backend->name);
        o->caps = dev->caps;
        o->caps.jobs = (uint32_t)1 << i;
    }
}

/* Lists the devices from which a device can copy directly. */
static void list_peers(const struct serve_device *d, char *text, size_t size) {
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < serve_own_devices && at < size && !d->is_members; i++)
        if (d != &serve_device[i] && gpu_has_peer(&d->dev, &serve_device[i].dev))
            at += (size_t)snprintf(text + at, size - at, "%s %d", at ? "" : ", copies from",
                                   serve_device[i].dev.index);
}

void serve_devices_list(char *text, size_t size) {
    size_t at = 0;
    char peers[128];
    const struct serve_device *first = &serve_device[0];
    const char *closed = serve_idle_is_closed() ? ", closed while nobody uses it" : "";
    if (serve_devices == 1)
        snprintf(text, size, "%s: %s%s", first->dev.backend->name, first->dev.caps.name, closed);
    else
        at = (size_t)snprintf(text, size, "%u devices%s", serve_devices, closed);
    for (unsigned i = 0; i < serve_devices && serve_devices > 1 && at < size; i++) {
        const struct serve_device *d = &serve_device[i];
        list_peers(d, peers, sizeof peers);
        at += (size_t)snprintf(text + at, size - at, "\ndevice %d: %s: %s%s%s%s", d->dev.index,
                               d->dev.backend->name, d->dev.caps.name, peers,
                               d->is_members ? ", of another member" : "",
                               atomic_load(&d->is_gone) ? ", which has failed" : "");
    }
}
