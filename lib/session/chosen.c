/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the devices that the option `device` names. */
#include "lib/session/chosen.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/shutdown.h"

struct chosen {
    enum gpu_status (*find)(const char *backend, const char *device, unsigned rank,
                            struct gpu_device *devp);
    struct gpu_device *found;
    unsigned count, most;
};

static bool are_all(void) {
    return strcasecmp(mpgpu_conf.device, "all") == 0;
}

bool chosen_are_several(void) {
    return are_all() || strchr(mpgpu_conf.device, '+') != NULL;
}

static void warn(const char *word, const char *what) {
    mpgpu_say("device:%s: `%s` %s; the others are used", mpgpu_conf.device, word, what);
}

/* Returns NULL if `dev` can be added to the list, otherwise the reason why it cannot. */
static const char *refusal(const struct chosen *c, const struct gpu_device *dev) {
    for (unsigned i = 0; i < c->count; i++) {
        const bool is_same = strcmp(c->found[i].backend->name, dev->backend->name) == 0;
        if (is_same && c->found[i].index == dev->index)
            return "is in the list already";
    }
    return c->count == c->most ? "is one too many" : NULL;
}

static void add_chosen_device(struct chosen *c, const char *word, const struct gpu_device *dev) {
    const char *wrong = refusal(c, dev);
    if (wrong)
        warn(word, wrong);
    else
        c->found[c->count++] = *dev;
}

/* Adds the first device that matches `word`, one name of the option `device`. If the list already
 * has a device, the new one must have the same backend. */
static void add_word(struct chosen *c, const char *word) {
    struct gpu_device dev;
    const char *backend = c->count > 0 ? c->found[0].backend->name : mpgpu_conf.backend;
    if (*word && c->find(backend, word, 0, &dev) == GPU_OK)
        add_chosen_device(c, word, &dev);
    else if ((c->find == gpu_find || c->count > 0) && !shutdown_has_begun())
        warn(word, "is no device here");
}

static void add_list(struct chosen *c) {
    char list[sizeof mpgpu_conf.device], *rest = list;
    snprintf(list, sizeof list, "%s", mpgpu_conf.device);
    while (rest) {
        char *word = rest, *end = strchr(rest, '+');
        rest = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        add_word(c, word);
    }
}

/* Adds all devices that have the first device's backend and kind (GPU or CPU), in the order of
 * gpu_find, which lists GPUs before CPUs. */
static void add_all(struct chosen *c) {
    struct gpu_device dev;
    for (unsigned rank = 0; c->find(mpgpu_conf.backend, "auto", rank, &dev) == GPU_OK; rank++) {
        bool is_like = c->count == 0 || (dev.backend == c->found[0].backend &&
                                         dev.caps.is_cpu == c->found[0].caps.is_cpu);
        if (is_like && c->count < c->most)
            c->found[c->count++] = dev;
    }
}

static unsigned find_chosen_devices(struct chosen *c) {
    if (are_all())
        add_all(c);
    else
        add_list(c);
    return c->count;
}

unsigned chosen_find(struct gpu_device *found, unsigned most) {
    return find_chosen_devices(&(struct chosen){.find = gpu_find, .found = found, .most = most});
}

unsigned chosen_find_served(struct gpu_device *found, unsigned most) {
    struct gpu_device any;
    if (gpu_find_served("auto", "", 0, &any) != GPU_OK)
        return 0;
    unsigned count = find_chosen_devices(
        &(struct chosen){.find = gpu_find_served, .found = found, .most = most});
    if (count == 0)
        gpu_forgo_served();
    return count;
}
