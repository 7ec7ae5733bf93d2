/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opening the devices that the options name. */
#include "config.h"

#include "gpu/remote/remote_build.h"
#include "lib/base/conf.h"
#include "lib/session/chosen.h"
#include "tools/serve/serve.h"

static bool opens_built_cpus;

void serve_open_built_cpus(void) {
    opens_built_cpus = true;
    if (!conf_names_device())
        gpu_build_nothing_for_cpus();
}

/* Building takes minutes; and without GPUs every program has a CPU of its own. */
static bool is_unwanted_cpu(const struct gpu_device *dev) {
    return dev->caps.is_cpu && !conf_names_device() && !(opens_built_cpus && gpu_cpu_is_built());
}

static void take_message(int level, const char *text) {
    serve_log(level, "%s", text);
}

/* Its number has to differ from those of the others: it has, within one backend. */
static bool open_found(const struct gpu_device *found) {
    struct serve_device *d = &serve_device[serve_own_devices];
    d->dev = *found;
    if (gpu_open_found(&d->dev) != GPU_OK) {
        serve_log(1, "%s: %s", found->caps.name, gpu_error_text());
        return false;
    }
    serve_log(2, "%s: %s", d->dev.backend->name, d->dev.caps.name);
    atomic_store(&serve_devices, atomic_fetch_add(&serve_own_devices, 1) + 1);
    return true;
}

/* The first, from `rank` on, that opens. */
static bool open_one(unsigned rank) {
    struct gpu_device dev;
    for (;; rank++) {
        if (gpu_find(mpgpu_conf.backend, mpgpu_conf.device, rank, &dev) != GPU_OK) {
            serve_log(1, "%s", gpu_error_text());
            return false;
        }
        if (is_unwanted_cpu(&dev)) {
            serve_log(1, "%s is a CPU: backend: or device: has to ask for it", dev.caps.name);
            return false;
        }
        if (open_found(&dev))
            return true;
    }
}

bool serve_open_devices(unsigned rank) {
    struct gpu_device found[SERVED_DEVICES];
    gpu_use_cpus_here();
    remote_build_here();
    gpu_set_logger(take_message);
    if (!chosen_are_several())
        return open_one(rank);
    unsigned count = chosen_find(found, SERVED_DEVICES);
    for (unsigned i = 0; i < count; i++)
        open_found(&found[i]);
    if (serve_own_devices == 0)
        serve_log(1, "device:%s: none of them opens", mpgpu_conf.device);
    return serve_own_devices > 0;
}
