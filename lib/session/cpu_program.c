/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where mpgpu-cpu lies, and this library, which has its kernels. */
#include "config.h"

#include "lib/session/cpu_program.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/objects.h"

/* The folder of this object, with a slash at its end; 0 if that is not known. */
static bool find_folder(char *folder, size_t size) {
    const char *path = objects_place(&mpgpu_conf).path;
    ssize_t length = path ? (ssize_t)strlen(path) : 0;
    if (length > 0 && (size_t)length < size)
        memcpy(folder, path, (size_t)length);
    else if (length == 0) /* the program itself has no path there */
        length = readlink("/proc/self/exe", folder, size);
    while (length > 0 && folder[length - 1] != '/')
        length--;
    if (length <= 0 || (size_t)length >= size)
        return false;
    folder[length] = '\0';
    return true;
}

/* In a folder like /tmp there may be a program of another user's beside ours. */
static bool is_own(const char *path) {
    struct stat status;
    return access(path, X_OK) == 0 && stat(path, &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0) && !(status.st_mode & S_IWOTH);
}

void cpu_program_find(void) {
    static const char *const places[] = {"mpgpu-gmp/mpgpu-cpu", "mpgpu-cpu", "../tools/mpgpu-cpu",
                                         "../../tools/mpgpu-cpu"}; /* of a build tree's examples */
    char path[4096 + sizeof "mpgpu-gmp/mpgpu-cpu"];
    const char *object = objects_place(&mpgpu_conf).path;
    gpu_set_library(object ? object : ""); /* a program has no path there */
    gpu_set_cpu_program(mpgpu_conf.cpu_program);
    if (*mpgpu_conf.cpu_program || !find_folder(path, 4096))
        return;
    char *end = path + strlen(path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        strcpy(end, places[i]);
        if (is_own(path)) {
            gpu_set_cpu_program(path);
            return;
        }
    }
}
