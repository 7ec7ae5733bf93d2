/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The options in force: first defaults, then the user's file, then MPGPU_CONF. */
#include "lib/base/conf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "gpu/gpu.h"
#include "lib/base/conf_key.h"
#include "lib/base/log.h"
#include "lib/base/started.h"
#include "lib/base/syscall_filter.h"

LARGE_DATA struct mpgpu_conf mpgpu_conf = {
#define KEY(name, kind, initial, words, help) .name = initial,
#include "lib/base/conf.def"
#undef KEY
};

/* Path of the user's file of options. Static, because each option that was read from the file has a
 * pointer to this path as its source. */
static LARGE_ZERO char conf_path[4096];

static LARGE_ZERO char kept[8192]; /* copy of MPGPU_CONF at the start, if conf_keep was called */

void conf_keep(const char *text) {
    if (strlen(text) < sizeof kept)
        strcpy(kept, text);
}

/* Sets `path` to one of the user's folders: $variable/tail, otherwise ~/fallback/tail; "" if there
 * is none. Ignores relative paths, as the XDG base directory specification says. */
static void user_path(const char *variable, const char *fallback, const char *tail, char *path,
                      size_t size) {
    const char *folder = getenv(variable);
    const char *home = getenv("HOME");
    int length = 0;
    if (folder && *folder == '/')
        length = snprintf(path, size, "%s/%s", folder, tail);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/%s/%s", home, fallback, tail);
    if (length <= 0 || (size_t)length >= size)
        *path = 0;
}

/* Reads the user's file of options and MPGPU_CONF. A set-user-ID program reads neither and has no
 * device: its caller's environment must not choose files or drivers. */
static void read_user(void) {
    if (getauxval(AT_SECURE)) {
        strcpy(mpgpu_conf.backend, "none");
        return;
    }
    user_path("XDG_CACHE_HOME", ".cache", "mpgpu-gmp", mpgpu_conf.cache, sizeof mpgpu_conf.cache);
    user_path("XDG_CONFIG_HOME", ".config", "mpgpu-gmp", mpgpu_conf.profile,
              sizeof mpgpu_conf.profile);
    user_path("XDG_CONFIG_HOME", ".config", "mpgpu-gmp/mpgpu.conf", conf_path, sizeof conf_path);
    if (*conf_path && !syscall_filter_is_first())
        conf_parse_file(&mpgpu_conf, conf_path);
    const char *text = getenv("MPGPU_CONF");
    if (text || *kept)
        conf_parse(&mpgpu_conf, text ? text : kept, "MPGPU_CONF");
}

static void read_options(void) {
    read_user();
    mpgpu_log_level = mpgpu_conf.log;
    if (mpgpu_conf.log || conf_has_stats() || mpgpu_conf.confirm)
        mpgpu_log_keep();
    if (mpgpu_conf.confirm)
        conf_print(mpgpu_say);
}

void conf_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_options);
}

static THREAD_MEMORY const struct conf_job *of_job;

bool conf_set_job(const struct conf_job *options) {
    const struct conf_job **mine = THREAD_MEMORY_GET(of_job);
    if (mine)
        *mine = options;
    return mine;
}

struct conf_job conf_job(void) {
    const struct conf_job *const *mine = THREAD_MEMORY_FIND(of_job);
    return mine && *mine
               ? **mine
               : (struct conf_job){mpgpu_conf.algorithm, mpgpu_conf.clear, mpgpu_conf.memory};
}

bool conf_is_backend_none(void) {
    return strcmp(mpgpu_conf.backend, "none") == 0;
}

bool conf_names_device(void) {
    return strcmp(mpgpu_conf.backend, "auto") != 0 || strcmp(mpgpu_conf.device, "auto") != 0;
}

bool conf_has_stats(void) {
    return mpgpu_conf.stats != STATS_OFF || *mpgpu_conf.stats_file || *mpgpu_conf.stats_sites;
}

void conf_print(void (*line)(const char *format, ...)) {
    static LARGE_ZERO char value[sizeof mpgpu_conf.cache], source[sizeof conf_path + 16];
    for (int i = 0; i < CONF_KEYS; i++) {
        conf_key_get(&conf_keys[i], &mpgpu_conf, value, sizeof value);
        items_describe(mpgpu_conf.source[i], source, sizeof source);
        line("%s:%s (%s)", conf_keys[i].name, value, source);
    }
}
