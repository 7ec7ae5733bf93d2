/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-tune: measure where a device is faster than GMP, and write its profile.
 * Exit status: 0; 1 if a result is wrong, the device fails or the file cannot be written; 2
 * for wrong arguments; 3 if there is no device. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/tune/tune_file.h"
#include "tools/tune/tune_measure.h"

enum { DONE, FAILED, WRONG_ARGUMENTS, NO_DEVICE };

static struct tuner tuner;
static struct gpu_device device;

static bool open_device(void) {
    char text[512];
    struct profile before;
    mpgpu_conf.open = OPEN_WAIT;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    session_open_any();
    session_init();
    bool ready = session_profile(&device, &before) == OUTCOME_DONE;
    session_describe(text, sizeof text);
    if (ready)
        printf("%s\n", text);
    else
        fprintf(stderr, "mpgpu-tune: there is no device to tune for: %s\n", text);
    return ready;
}

/* A profile for devices of this backend and name. */
static void begin_profile(struct profile *p) {
    profile_clear(p);
    snprintf(p->backend, sizeof p->backend, "%s", device.backend->name);
    tuner.has_doubles = device.caps.doubles;
    p->cpu = device.caps.is_cpu ? PROFILE_CPU : PROFILE_NO_CPU;
    snprintf(p->device, sizeof p->device, "%s", device.caps.name);
}

/* Finds the file's path, and tries it before measurements that take a minute. */
static bool prepare_file(char *path, size_t size) {
    const char *backend = tuner.profile.backend;
    if (tuner.options.dry_run)
        return true;
    if (!tune_file_path(tuner.options.output, backend, &device.caps, path, size)) {
        fprintf(stderr, "mpgpu-tune: there is no folder for profiles: give --output FILE\n");
        return false;
    }
    if (tune_file_can_write(path, !tuner.options.output))
        return true;
    fprintf(stderr, "mpgpu-tune: %s: %s\n", path, strerror(errno));
    return false;
}

/* A profile that cannot be written is printed, so that it is not lost. */
static int write_profile(const char *path) {
    const struct profile *p = &tuner.profile;
    if (tuner.options.dry_run) {
        tune_file_print(stdout, p, &device.caps);
        return DONE;
    }
    if (tune_file_write(path, p, &device.caps)) {
        printf("written to %s\n", path);
        return DONE;
    }
    fprintf(stderr, "mpgpu-tune: %s: %s\n", path,
            errno ? strerror(errno) : "what was read is not what was written");
    tune_file_print(stdout, p, &device.caps);
    return FAILED;
}

int main(int argc, char **argv) {
    char path[4096] = "";
    conf_init();
    mpgpu_conf.server = SERVER_OFF; /* a profile is of the device alone */
    int status = tune_parse_arguments(argc, argv, &tuner.options);
    if (status >= 0)
        return status;
    if (!open_device())
        return NO_DEVICE;
    begin_profile(&tuner.profile);
    if (!prepare_file(path, sizeof path))
        return FAILED;
    status = tuner_find(&tuner);
    status = status ? status : tuner_verify(&tuner);
    status = status ? status : write_profile(path);
    return status == DONE && fflush(stdout) ? FAILED : status;
}
