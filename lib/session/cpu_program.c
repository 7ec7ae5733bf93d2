/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where mpgpu-cpu lies, and this library, which has its kernels. */
#include "config.h"

#include "lib/session/cpu_program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/memory/pressure.h"

enum { FOLDER = PATH_MAX, LONGEST = 32 };

/* The folder of this object, with a slash at its end; false if that is not known.  mpgpu-run
 * preloads a link that is in another folder than the library. */
static bool find_folder(char folder[FOLDER]) {
    const char *path = objects_place(&mpgpu_conf).path;
    ssize_t length = 0;
    if (path && *path && realpath(path, folder))
        length = (ssize_t)strlen(folder);
    else if (!path || !*path) /* the program itself has no path there */
        length = readlink("/proc/self/exe", folder, FOLDER);
    while (length > 0 && folder[length - 1] != '/')
        length--;
    if (length <= 0 || length >= FOLDER)
        return false;
    folder[length] = '\0';
    return true;
}

/* NULL, or why the file must not run with the user's rights. */
static const char *fault_of(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return NULL; /* nothing to run */
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "the file of option cpu_program is another user's";
    return status.st_mode & (S_IWGRP | S_IWOTH) ? "others can write the file of option cpu_program"
                                                : NULL;
}

/* The first of these files, from this object's folder on, that is there; `path` has FOLDER +
 * LONGEST bytes. */
static bool find_beside(const char *const *places, size_t count, char *path) {
    if (!find_folder(path))
        return false;
    char *end = path + strlen(path);
    for (size_t i = 0; i < count; i++) {
        strcpy(end, places[i]);
        if (access(path, X_OK) == 0 && !fault_of(path))
            return true;
    }
    return false;
}

static void use_given(const char *path) {
    const char *wrong = fault_of(path);
    if (wrong)
        gpu_forbid_cpus(wrong);
    else
        gpu_set_cpu_program(path);
}

/* What the process takes before it computes, with PoCL and LLVM. */
#define PROCESS_BYTES ((uint64_t)128 << 20)

void cpu_program_find(void) {
    static const char *const places[] = {"mpgpu-gmp/mpgpu-cpu", "mpgpu-cpu", "../tools/mpgpu-cpu",
                                         "../../tools/mpgpu-cpu"}; /* of a build tree's examples */
    char path[FOLDER + LONGEST];
    const char *object = objects_place(&mpgpu_conf).path;
    if (pressure_of_groups(PROCESS_BYTES))
        gpu_forbid_cpus("too little memory is left in this control group");
    gpu_set_library(object ? object : ""); /* a program has no path there */
    if (*mpgpu_conf.cpu_program)
        use_given(mpgpu_conf.cpu_program);
    else if (find_beside(places, sizeof places / sizeof *places, path))
        gpu_set_cpu_program(path);
}

/* Returns true if nobody but the user and root can put another file in the place of `path`, which
 * becomes the file's path without links.  `path` has FOLDER + LONGEST bytes, at least PATH_MAX. */
static bool is_safe_place(char *path) {
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(path, real) || strlen(real) >= FOLDER)
        return false;
    strcpy(path, real);
    *strrchr(real, '/') = '\0';
    return stat(*real ? real : "/", &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool serve_program_find(char *found, size_t size) {
    static const char *const places[] = {"../bin/mpgpu-serve", "mpgpu-serve",
                                         "../tools/mpgpu-serve", "../../tools/mpgpu-serve",
                                         "../../bin/mpgpu-serve"};
    char path[FOLDER + LONGEST];
    bool is_found = find_beside(places, sizeof places / sizeof *places, path);
    if (!is_found || !is_safe_place(path) || strlen(path) >= size)
        return false;
    strcpy(found, path);
    return true;
}
