/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens the devices that the options name. */
#include "config.h"

#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/selftest/expected.h"
#include "lib/session/chosen.h"
#include "tools/serve/serve.h"

static bool opens_built_cpus;

/* Building takes minutes. */
static bool may_build_for_cpus(void) {
    return conf_names_device() || mpgpu_conf.open == OPEN_WAIT;
}

void serve_open_built_cpus(void) {
    opens_built_cpus = true;
    if (!may_build_for_cpus())
        gpu_build_nothing_for_cpus();
}

static bool is_unwanted_cpu(const struct gpu_device *dev) {
    return dev->caps.is_cpu && !may_build_for_cpus() && !(opens_built_cpus && gpu_cpu_is_built());
}

static void take_message(int level, const char *text) {
    serve_log(level, "%s", text);
}

/* Opens a device that the backend has found, and appends it to serve_device[]. No earlier device
 * may have the same number. */
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

static char reason[512] = "no device opens";

const char *serve_open_reason(void) {
    return reason;
}

static bool refuse(const char *what, const char *why) {
    serve_log(1, "%s%s", what, why);
    snprintf(reason, sizeof reason, "no device opens: %s%s", what, why);
    return false;
}

/* Opens the first device that can be opened among the devices that the option `device` names,
 * beginning with match number `rank`. */
static bool open_one(unsigned rank) {
    struct gpu_device dev;
    for (;; rank++) {
        if (gpu_find(mpgpu_conf.backend, mpgpu_conf.device, rank, &dev) != GPU_OK)
            return refuse("", gpu_error_text());
        if (is_unwanted_cpu(&dev))
            return refuse(dev.caps.name, " is a CPU: set backend: or device: to use it");
        if (open_found(&dev))
            return true;
    }
}

bool serve_open_devices(unsigned rank) {
    struct gpu_device found[SERVED_DEVICES];
    gpu_set_logger(take_message);
    gpu_set_build_helper("/proc/self/exe");
    expected_tell();
    if (!chosen_are_several())
        return open_one(rank);
    unsigned count = chosen_find(found, SERVED_DEVICES);
    for (unsigned i = 0; i < count; i++)
        open_found(&found[i]);
    return serve_own_devices > 0 || refuse(mpgpu_conf.device, ": none of them can be opened");
}
