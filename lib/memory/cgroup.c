/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the memory limits of control groups, whose names are in /proc/self/cgroup. A container may
 * mount only the part of the tree below its own group, and the folder with that name is then
 * missing. So the root of the mounted tree always counts. */
#include "config.h"

#include "lib/memory/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/min.h"

enum { LEFT_TO_ALL = 8 /* 1/8 */, PATH = 4096 };

/* The file names of one version of control groups, and the names of numbers in its file
 * `memory.stat`. */
struct version {
    const char *controller; /* the controller's name in /proc/self/cgroup */
    const char *folder, *most, *used, *files, *shared;
};
static const struct version versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "file ", "shmem "},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_cache ", "total_shmem "},
};

struct limit {
    uint64_t most, used;
};

static const char *root = "";

void cgroup_set_root(const char *folder) {
    root = folder;
}

static FILE *open_file(const char *path) {
    char whole[2 * PATH];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    return fopen(whole, "re");
}

uint64_t cgroup_read_number(const char *path, const char *name, uint64_t none) {
    char line[256];
    uint64_t number = none;
    FILE *file = open_file(path);
    if (!file)
        return none;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            if (sscanf(line + strlen(name), "%" SCNu64, &number) != 1)
                number = none; /* "max" */
            break;
        }
    }
    fclose(file);
    return number;
}

static uint64_t number_of(const char *folder, const char *file, const char *name, uint64_t none) {
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return cgroup_read_number(path, name, none);
}

/* Returns the limit of the group whose files are in `folder`, and the memory in use. Does not read
 * the latter if there is no limit. */
static struct limit limit_of(const struct version *v, const char *folder) {
    struct limit l = {.most = number_of(folder, v->most, "", UINT64_MAX)};
    if (l.most == UINT64_MAX)
        return l;
    uint64_t files = number_of(folder, "memory.stat", v->files, 0);
    uint64_t shared = number_of(folder, "memory.stat", v->shared, 0);
    uint64_t dropped = files > shared ? files - shared : 0;
    l.used = number_of(folder, v->used, "", 0);
    l.used = l.used > dropped ? l.used - dropped : 0;
    return l;
}

/* Parses a line "number:controllers:/path" of /proc/self/cgroup. Returns the path if the line is
 * for this version's memory controller, otherwise NULL. */
static char *path_of(const struct version *v, char *line) {
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    line[strcspn(line, "\n")] = '\0';
    if (!path)
        return NULL;
    *path++ = '\0';
    if (!*v->controller)
        return names[1] ? NULL : path;
    for (char *rest, *name = strtok_r(names + 1, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, v->controller) == 0)
            return path;
    return NULL;
}

/* Sets `folder` to the folder of the process's own group. A path that begins with ".." means that
 * the group is outside of this process's namespace. Then sets `folder` to the root of the tree. */
static void find_folder(const struct version *v, char folder[PATH]) {
    char line[PATH];
    FILE *file = open_file("/proc/self/cgroup");
    snprintf(folder, PATH, "%s", v->folder);
    while (file && fgets(line, sizeof line, file)) {
        const char *path = path_of(v, line);
        if (path && !strstr(path, "/.."))
            snprintf(folder, PATH, "%s%s", v->folder, path);
    }
    if (file)
        fclose(file);
}

/* Calls `visit` with the limit of each group: the process's own group and all its ancestors. */
static void each(void (*visit)(const struct limit *l, void *context), void *context) {
    char folder[PATH];
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        find_folder(&versions[i], folder);
        for (size_t begin = strlen(versions[i].folder);;) {
            struct limit l = limit_of(&versions[i], folder);
            visit(&l, context);
            if (strlen(folder) <= begin)
                break;
            *strrchr(folder, '/') = '\0';
        }
    }
}

static void lower(const struct limit *l, void *most) {
    *(uint64_t *)most = min_u64(*(uint64_t *)most, l->most);
}

uint64_t cgroup_most(void) {
    uint64_t most = UINT64_MAX;
    each(lower, &most);
    return most;
}

struct question {
    uint64_t bytes, all;
    bool is_short;
};

static void ask(const struct limit *l, void *question) {
    struct question *q = question;
    uint64_t kept = l->most / LEFT_TO_ALL;
    if (l->most < q->all && (l->used + kept > l->most || q->bytes > l->most - kept - l->used))
        q->is_short = true;
}

bool cgroup_is_short(uint64_t bytes, uint64_t all) {
    struct question q = {bytes, all, false};
    each(ask, &q);
    return q.is_short;
}
