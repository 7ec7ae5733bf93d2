/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Passes the options --backend and --device to the library, as keys of MPGPU_CONF. */
#include "config.h"

#include "examples/mandelbrot/device.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 127 }; /* maximum length of the value of the key `device` */

static const char *backend, *device; /* NULL: not given */

enum status device_set_backend(const char *name) {
    if (strcmp(name, "auto") && strcmp(name, "cuda") && strcmp(name, "opencl") &&
        strcmp(name, "none"))
        return complain("--backend %s: not auto, cuda, opencl or none", name);
    backend = name;
    return STATUS_DONE;
}

enum status device_set_device(const char *name) {
    if (strlen(name) > MOST_NAME)
        return complain("--device %s: too long", name);
    if (!*name || strchr(name, ','))
        return complain("--device '%s': not a device's name", name);
    device = name;
    return STATUS_DONE;
}

static bool is_none(void) {
    return backend && strcmp(backend, "none") == 0;
}

static bool names(const char *value) {
    return value && strcmp(value, "auto") != 0;
}

bool device_is_named(void) {
    return !is_none() && (names(backend) || names(device));
}

/* Appends ",key:value" to the text; appends nothing if value is NULL. */
static void append(char *text, const char *key, const char *value) {
    if (value)
        sprintf(text + strlen(text), "%s%s:%s", *text ? "," : "", key, value);
}

enum status device_choose(void) {
    const char *given = getenv("MPGPU_CONF");
    const size_t length = given ? strlen(given) : 0;
    char *text = malloc(length + MOST_NAME + 64);
    if (!text)
        return complain("not enough memory");
    strcpy(text, given ? given : "");
    append(text, "backend", backend);
    append(text, "device", device);
    append(text, "open", device_is_named() ? "wait" : NULL);
    int failed = setenv("MPGPU_CONF", text, 1);
    free(text);
    return failed ? complain("not enough memory") : STATUS_DONE;
}
