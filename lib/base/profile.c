/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The order of profiles: the user's precede the built-in ones. Within each group, more precise
 * profiles precede others. */
#define _GNU_SOURCE 1 /* struct dirent64 */
#include "config.h"

#include "lib/base/profile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/own_file.h"
#include "lib/base/started.h"
#include "lib/base/syscall_filter.h"

static const char suffix[] = ".profile";

/* All profiles, in the order of precedence. Kept until the process ends. */
static struct listed {
    struct profile profile;
    int is_users;
    const char *name;
} * list;
static int listed, room;

/* Appends an empty profile to the list. Returns NULL if memory is missing; the profile is then
 * ignored. */
static struct profile *append(const char *name, int is_users) {
    if (listed == room) {
        void *more = realloc(list, (size_t)(2 * room + 8) * sizeof *list);
        if (!more)
            return NULL;
        list = more;
        room = 2 * room + 8;
    }
    list[listed] = (struct listed){.is_users = is_users, .name = name};
    profile_clear(&list[listed].profile);
    return &list[listed++].profile;
}

/* Returns the log level of messages about the option `profile`. They are always printed if the user
 * has set the option. */
static int message_level(void) {
    return mpgpu_conf.source[CONF_KEY_profile].name ? 0 : LOG_WARNING;
}

static void load_file(const char *path) {
    const char *wrong;
    char *text = own_file_read(path, &wrong);
    if (!text && !wrong)
        wrong = strerror(errno);
    /* Kept until exit: messages and the sources of values point to it. */
    char *name = text ? strdup(path) : NULL;
    struct profile *p = name ? append(name, 1) : NULL;
    if (p)
        profile_parse(text, name, p);
    else
        mpgpu_log(message_level(), "profile %s is not used: %s", path, text ? "no memory" : wrong);
    free(text);
}

static bool has_suffix(const char *name) {
    size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* Loads the folder's files. Reads the folder by the system call, because opendir would call the
 * program's malloc. */
static void load_folder(int folder, const char *path) {
    static LARGE_ZERO char name[4096 + 256];
    static LARGE_ZERO _Alignas(struct dirent64) char entries[4096];
    for (long got; (got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < got;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            at += entry->d_reclen;
            if (!has_suffix(entry->d_name))
                continue;
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            load_file(name);
        }
}

/* Loads the option `profile`: a folder, which may be absent, or a file. */
static void load_users(const char *path) {
    int folder = *path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) {
        load_folder(folder, path);
        close(folder);
    } else if (*path && (errno == ENOTDIR || mpgpu_conf.source[CONF_KEY_profile].name)) {
        load_file(path);
    }
}

static void load_builtin(const struct profile_text *text) {
    char *copy = strdup(text->text);
    struct profile *p = copy ? append(text->name, 0) : NULL;
    if (p)
        profile_parse(copy, text->name, p);
    free(copy);
}

/* Compares two profiles for sorting. The user's profiles come before built-in ones, then longer
 * device names before shorter ones, then longer vendors. Then come profiles that name a backend,
 * then profiles that name a kind of device. */
static int by_precision(const struct listed *x, const struct listed *y) {
    const struct profile *p = &x->profile, *q = &y->profile;
    int order = y->is_users - x->is_users;
    order = order ? order : (int)strlen(q->device) - (int)strlen(p->device);
    order = order ? order : (int)strlen(q->vendor) - (int)strlen(p->vendor);
    order = order ? order : (*q->backend != 0) - (*p->backend != 0);
    order = order ? order : (q->cpu != PROFILE_ANY) - (p->cpu != PROFILE_ANY);
    return order ? order : strcmp(x->name, y->name);
}

/* Sorts by insertion, because qsort would call the program's malloc. */
static void sort(void) {
    for (int i = 1; i < listed; i++) {
        const struct listed one = list[i];
        int at = i;
        for (; at > 0 && by_precision(&list[at - 1], &one) > 0; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
}

void profile_load(void) {
    if (!syscall_filter_is_first())
        load_users(mpgpu_conf.profile);
    sort();
}

/* Loads the built-in profiles. This happens only if there is a device: without one,
 * profile_texts_least has all values that are needed. */
static void load_all_builtin(void) {
    for (const struct profile_text *text = profile_texts; text->name; text++)
        load_builtin(text);
    sort();
}

static bool fits(const struct profile *p, const char *backend, const struct gpu_caps *caps) {
    return (!*p->backend || strcmp(p->backend, backend) == 0) &&
           strcasestr(caps->name, p->device) && strcasestr(caps->vendor, p->vendor) &&
           (p->cpu == PROFILE_ANY || (p->cpu == PROFILE_CPU) == (caps->is_cpu != 0));
}

/* Copies from `other` those values that p does not set. */
static void fill(struct profile *p, const struct profile *other) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] == MPGPU_UNSET) {
            p->value[i] = other->value[i];
            p->source[i] = other->source[i];
        }
    for (int i = 0; i < PROFILE_CHOICES; i++)
        if (p->choice[i].steps == 0)
            p->choice[i] = other->choice[i];
    for (int i = 0; i < PROFILE_COSTS; i++)
        if (p->cost[i].steps == 0)
            p->cost[i] = other->cost[i];
}

/* Sets *p to the thresholds that options set; clears all other values. */
static void start(struct profile *p) {
    profile_clear(p);
#define OPTION(name)                                                                               \
    p->value[PROFILE_##name] = mpgpu_conf.name;                                                    \
    p->source[PROFILE_##name] = mpgpu_conf.source[CONF_KEY_##name]
    OPTION(mul);
    OPTION(sqr);
    OPTION(mulmod);
    OPTION(add);
    OPTION(batch);
#undef OPTION
}

static struct profile defaults(void) {
    struct profile p;
    profile_clear(&p);
#define THRESHOLD(name, kind, of, initial, what) p.value[PROFILE_##name] = initial;
#include "lib/base/profile.def"
#undef THRESHOLD
    return p;
}

void profile_choose(const char *backend, const struct gpu_caps *caps, struct profile *p) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct profile model, rest = defaults();
    pthread_once(&once, load_all_builtin);
    start(p);
    for (int i = 0; i < listed; i++)
        if (fits(&list[i].profile, backend, caps))
            fill(p, &list[i].profile);
    profile_model(backend, caps, &model);
    fill(p, &model);
    fill(p, &rest);
}

/* Returns the smaller of two values, ignoring one that is not set. */
static size_t least_of(size_t a, size_t b) {
    return a == MPGPU_UNSET || (b < a && b != MPGPU_UNSET) ? b : a;
}

/* Sets *p to the least value of each threshold, except for thresholds that options set. */
void profile_smallest(int cpus_alone, struct profile *p) {
    struct profile least = defaults();
    for (int k = 0; k < PROFILE_THRESHOLDS; k++)
        least.value[k] = least_of(least.value[k], profile_texts_least[cpus_alone != 0][k]);
    for (int i = 0; i < listed; i++)
        for (int k = 0; k < PROFILE_THRESHOLDS; k++)
            if (list[i].profile.value[k] != MPGPU_UNSET &&
                !(cpus_alone && list[i].profile.cpu == PROFILE_NO_CPU))
                least.value[k] = least_of(least.value[k], list[i].profile.value[k]);
    start(p);
    fill(p, &least);
}

void profile_keep_to_products(struct profile *p) {
    static const bool is_multiple[] = {
#define THRESHOLD(name, kind, of, initial, what) PROFILE_##of != PROFILE_##name,
#include "lib/base/profile.def"
#undef THRESHOLD
    };
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (is_multiple[i]) {
            p->value[i] = MPGPU_NEVER;
            p->source[i] = (struct item_source){"kernels built already", 0};
        }
}

/* Returns true if a threshold other than `never` is set. */
static bool sets_any(const struct profile *p) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] != MPGPU_UNSET && p->value[i] != MPGPU_NEVER)
            return true;
    return false;
}

bool profile_is_given(void) {
    struct profile options;
    start(&options);
    bool is_given = sets_any(&options);
    for (int i = 0; i < listed; i++)
        is_given |=
            list[i].is_users && list[i].profile.cpu != PROFILE_NO_CPU && sets_any(&list[i].profile);
    return is_given;
}

bool profile_is_never(const struct profile *p) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (profile_limbs(p, i) != MPGPU_NEVER)
            return false;
    return true;
}

bool profile_path(const char *folder, const char *backend, const struct gpu_caps *caps, char *path,
                  size_t size) {
    int length = snprintf(path, size, "%s/%s-%s%s", folder, backend, caps->name, suffix);
    if (length < 0 || (size_t)length >= size)
        return false;
    for (char *p = path + strlen(folder) + 1; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.')
            *p = '-';
    return true;
}
