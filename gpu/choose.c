/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the device that the options `backend` and `device` name. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gpu/error.h"
#include "gpu/gpu.h"
#include "gpu/images.h"

enum { MOST_DEVICES = 64 };

static int kernels_of_gpus;
static const char *forbidden; /* why CPUs are not used as devices; NULL if they may be used */

void gpu_forbid_cpus(const char *why) {
    forbidden = why;
}

const char *gpu_cpus_forbidden(void) {
    return forbidden;
}

void gpu_use_kernels_of_gpus(void) {
    kernels_of_gpus = 1;
}

bool gpu_uses_kernels_of_gpus(void) {
    return kernels_of_gpus;
}

/* Returns true if `text` contains `part`, ignoring case. */
static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return length == 0;
}

static bool is_number(const char *text) {
    return *text && text[strspn(text, "0123456789")] == '\0';
}

bool gpu_fits(const char *device, int index, const struct gpu_caps *caps, bool cpus) {
    if (strcasecmp(device, "auto") == 0)
        return caps->is_cpu == cpus;
    if (cpus)
        return false;
    return is_number(device) ? strtol(device, NULL, 10) == index : contains(caps->name, device);
}

/* A search for device number `rank` among the devices that match the options, counted from 0.
 * `seen` counts all devices. */
struct search {
    const char *backend, *device;
    unsigned rank, seen;
    char reasons[400]; /* error texts of the drivers whose backends have no device */
};

static void add_reason(struct search *s, const char *backend) {
    const char *text = gpu_error_text();
    size_t used = strlen(s->reasons);
    snprintf(s->reasons + used, sizeof s->reasons - used, "%s%s: %s", used ? "; " : "", backend,
             *text ? text : "no device");
}

/* Among a backend's. */
static bool find(const struct gpu_backend *backend, struct search *wanted, int cpus,
                 struct gpu_device *devp) {
    struct gpu_caps *caps = calloc(MOST_DEVICES, sizeof *caps);
    if (!caps)
        return false;
    gpu_fail(GPU_OK, "%s", "");
    int count = backend->enumerate(caps, MOST_DEVICES), index;
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    if (count == 0 && !cpus)
        add_reason(wanted, backend->name);
    for (index = 0; index < count; index++)
        if (gpu_fits(wanted->device, index, &caps[index], cpus) && wanted->rank-- == 0)
            break;
    wanted->seen += cpus ? 0 : (unsigned)count;
    if (index < count)
        *devp = (struct gpu_device){.backend = backend, .caps = caps[index], .index = index};
    free(caps);
    return index < count;
}

/* Searches the devices of all backends that match the option `backend`; with device:auto, first
 * GPUs, then CPUs. */
static bool find_any(struct search *wanted, struct gpu_device *devp) {
    int by_name = strcasecmp(wanted->backend, "auto") != 0;
    for (int cpus = 0; cpus < 2; cpus++)
        for (int i = 0; gpu_backends[i]; i++)
            if (!by_name || strcasecmp(wanted->backend, gpu_backends[i]->name) == 0)
                if (find(gpu_backends[i], wanted, cpus, devp))
                    return true;
    return false;
}

static bool is_built(const char *name) {
    int i = 0;
    while (gpu_backends[i] && strcasecmp(gpu_backends[i]->name, name) != 0)
        i++;
    return gpu_backends[i] || strcasecmp(name, "auto") == 0 || strcasecmp(name, "none") == 0;
}

/* Sets the error text and returns GPU_ABSENT. The text says that the backend is not built in, or
 * that none of the devices matches; without devices, it contains the drivers' error texts. */
static enum gpu_status none_fits(const struct search *wanted) {
    char reason[sizeof wanted->reasons];
    if (!is_built(wanted->backend))
        snprintf(reason, sizeof reason, "this library is built without that backend");
    else if (wanted->seen > 0)
        snprintf(reason, sizeof reason, "none of the %u devices here fits", wanted->seen);
    else
        snprintf(reason, sizeof reason, "%s", wanted->reasons);
    return gpu_fail(GPU_ABSENT, "none for backend %s, device %s%s%s%s", wanted->backend,
                    wanted->device, *reason ? " (" : "", reason, *reason ? ")" : "");
}

enum gpu_status gpu_find(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp) {
    *devp = (struct gpu_device){.backend = NULL};
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    struct search wanted = {backend, device, rank, 0, ""};
    return find_any(&wanted, devp) ? GPU_OK : none_fits(&wanted);
}

enum gpu_status gpu_open_found(struct gpu_device *dev) {
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    if (!dev->backend->is_served && !gpu_images())
        return GPU_NOBUILD;
    return dev->backend->open(dev->index, &dev->impl);
}

enum gpu_status gpu_open(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp) {
    enum gpu_status status = gpu_find(backend, device, rank, devp);
    return status == GPU_OK ? gpu_open_found(devp) : status;
}
