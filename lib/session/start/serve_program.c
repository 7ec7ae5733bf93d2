/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the path of the program mpgpu-serve. */
#include "config.h"

#include "lib/session/start/serve_program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/base/started.h"

enum { FOLDER = PATH_MAX, LONGEST = 32 };

/* Sets `folder` to the folder of the library or program that contains this code, ending with a
 * slash. Resolves symbolic links. Returns false if the folder is unknown. */
static bool find_folder(char folder[FOLDER]) {
    const char *path = objects_info(&mpgpu_conf).path;
    ssize_t length = 0;
    if (path && *path && realpath(path, folder))
        length = (ssize_t)strlen(folder);
    else if (!path || !*path) /* the dynamic linker gives no path for the main program */
        length = readlink("/proc/self/exe", folder, FOLDER);
    while (length > 0 && folder[length - 1] != '/')
        length--;
    if (length <= 0 || length >= FOLDER)
        return false;
    folder[length] = '\0';
    return true;
}

/* Returns true if only the user and root can write to the file or folder. */
static bool is_safe(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Finds the first file in `places` that exists and that only the user and root can write to. Paths
 * are relative to the folder of this code. `path` must have space for FOLDER + LONGEST bytes. */
static bool find_beside(const char *const *places, size_t count, char *path) {
    if (!find_folder(path))
        return false;
    char *end = path + strlen(path);
    for (size_t i = 0; i < count; i++) {
        strcpy(end, places[i]);
        if (access(path, X_OK) == 0 && is_safe(path))
            return true;
    }
    return false;
}

/* Returns true if only the user and root can replace the file `path`. Resolves symbolic links in
 * `path`, which must have space for FOLDER + LONGEST bytes, at least PATH_MAX. */
static bool is_safe_place(char *path) {
    static LARGE_ZERO char real[PATH_MAX];
    if (!realpath(path, real) || strlen(real) >= FOLDER)
        return false;
    strcpy(path, real);
    *strrchr(real, '/') = '\0';
    return is_safe(*real ? real : "/");
}

bool serve_program_find(char *found, size_t size) {
    static const char *const places[] = {"../bin/mpgpu-serve", "mpgpu-serve",
                                         "../tools/mpgpu-serve", "../../tools/mpgpu-serve",
                                         "../../bin/mpgpu-serve"};
    static LARGE_ZERO char path[FOLDER + LONGEST]; /* static, because the stack may be small */
    bool is_found = find_beside(places, sizeof places / sizeof *places, path);
    if (!is_found || !is_safe_place(path) || strlen(path) >= size)
        return false;
    strcpy(found, path);
    return true;
}
