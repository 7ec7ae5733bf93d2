/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the memory limits of control groups, whose names are in /proc/self/cgroup. A container may
 * mount only a part of the tree of groups, so that the folder of the process's own group is
 * missing. So the root of the mounted tree is always read, too. */
#include "config.h"

#include "lib/memory/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/min.h"
#include "lib/base/process.h"

/* The sizes of buffers for a path, for the list of groups, and for a file with numbers. The buffers
 * are small and the functions with buffers are not inlined, because threads with small stacks call
 * these functions. */
enum { LEFT_TO_ALL = 8 /* 1/8 */, PATH = 1024, LIST = 4096, TEXT = 2048 };
#define NOINLINE __attribute__((noinline))

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

/* Reads the beginning of a file of /proc or /sys, which contains all numbers that are needed here.
 * Uses no stream, because the C library would call the program's malloc for it. */
static bool read_file(const char *path, char *text, size_t size) {
    char whole[PATH + 64];
    return (size_t)snprintf(whole, sizeof whole, "%s%s", root, path) < sizeof whole &&
           process_text(whole, text, size);
}

/* Returns the number at the beginning of the text, after blanks. Returns `none` if there is no
 * number, for example for "max". */
static uint64_t number_at(const char *text, uint64_t none) {
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    return end == text ? none : number;
}

uint64_t cgroup_read_number(const char *path, const char *name, uint64_t none) {
    char text[TEXT];
    if (!read_file(path, text, sizeof text))
        return none;
    for (char *line, *rest = text; (line = strsep(&rest, "\n"));)
        if (strncmp(line, name, strlen(name)) == 0)
            return number_at(line + strlen(name), none);
    return none;
}

static NOINLINE uint64_t read_number_of_group(const char *folder, const char *file,
                                              const char *name, uint64_t none) {
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return cgroup_read_number(path, name, none);
}

/* Returns the memory limit and the memory in use of the group whose files are in `folder`. Does not
 * read the memory in use if there is no limit. */
static struct limit limit_of(const struct version *v, const char *folder) {
    struct limit l = {.most = read_number_of_group(folder, v->most, "", UINT64_MAX)};
    if (l.most == UINT64_MAX)
        return l;
    uint64_t files = read_number_of_group(folder, "memory.stat", v->files, 0);
    uint64_t shared = read_number_of_group(folder, "memory.stat", v->shared, 0);
    uint64_t dropped = files > shared ? files - shared : 0;
    l.used = read_number_of_group(folder, v->used, "", 0);
    l.used = l.used > dropped ? l.used - dropped : 0;
    return l;
}

/* Parses a line "number:controllers:/path" of /proc/self/cgroup. Returns the path if the line is
 * for this version's memory controller, otherwise NULL. */
static char *path_of(const struct version *v, char *line) {
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
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

/* Sets `folder` to the folder of the process's own group. A path that begins with ".." belongs to a
 * group outside of this process's namespace; then sets `folder` to the root of the tree. */
static NOINLINE void find_folder(const struct version *v, char folder[PATH]) {
    char text[LIST], *rest = read_file("/proc/self/cgroup", text, sizeof text) ? text : NULL;
    snprintf(folder, PATH, "%s", v->folder);
    for (char *line; (line = strsep(&rest, "\n"));) {
        const char *path = path_of(v, line);
        if (path && !strstr(path, "/.."))
            snprintf(folder, PATH, "%s%s", v->folder, path);
    }
}

/* Calls `visit` with the limit of each group: the process's own group and all its ancestors. */
static void visit_limits(void (*visit)(const struct limit *l, void *context), void *context) {
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

static void lower_to_limit(const struct limit *l, void *most) {
    *(uint64_t *)most = min_u64(*(uint64_t *)most, l->most);
}

uint64_t cgroup_most(void) {
    uint64_t most = UINT64_MAX;
    visit_limits(lower_to_limit, &most);
    return most;
}

struct question {
    uint64_t bytes, all;
    bool is_short;
};

static void check_limit_is_short(const struct limit *l, void *question) {
    struct question *q = question;
    uint64_t kept = l->most / LEFT_TO_ALL;
    if (l->most < q->all && (l->used + kept > l->most || q->bytes > l->most - kept - l->used))
        q->is_short = true;
}

bool cgroup_is_short(uint64_t bytes, uint64_t all) {
    struct question q = {bytes, all, false};
    visit_limits(check_limit_is_short, &q);
    return q.is_short;
}
