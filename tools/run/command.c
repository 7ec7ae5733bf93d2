/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds, checks and executes the program that mpgpu-run starts. */
#include "config.h"

#include "tools/run/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/run/elf.h"
#include "tools/run/say.h"

static bool is_plain(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_executable(const char *path) {
    return is_plain(path) && access(path, X_OK) == 0;
}

/* Looks for the program `name` in one folder of PATH.  The folder's name has `length` bytes; an
 * empty name means the current folder. */
static bool name_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    int n = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name)
                   : snprintf(path, PATH_MAX, "./%s", name);
    return n < PATH_MAX && is_plain(path);
}

static void find_in_path(const char *name, char path[PATH_MAX]) {
    int status = RUN_NOT_FOUND;
    const char *given = getenv("PATH"), *next;
    for (const char *folder = given ? given : "/usr/bin:/bin"; folder; folder = next) {
        size_t length = strcspn(folder, ":");
        next = folder[length] ? folder + length + 1 : NULL;
        if (!name_in(folder, length, name, path))
            continue;
        if (is_executable(path))
            return;
        status = RUN_NOT_EXECUTABLE;
    }
    run_fail(status, status == RUN_NOT_FOUND ? "%s: no such program" : "%s: cannot be executed",
             name);
}

void run_command_find(const char *name, char path[PATH_MAX]) {
    if (!strchr(name, '/')) {
        find_in_path(name, path);
        return;
    }
    if (access(name, F_OK) != 0)
        run_fail(RUN_NOT_FOUND, "%s: no such program", name);
    if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX || !is_executable(name))
        run_fail(RUN_NOT_EXECUTABLE, "%s: cannot be executed", name);
}

/* Returns true for a privileged program, for which the dynamic linker ignores LD_PRELOAD. */
static bool has_privileges(const char *path) {
    struct stat status;
    return (stat(path, &status) == 0 &&
            (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
             ((status.st_mode & S_ISGID) && status.st_gid != getegid()))) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Returns NULL if the program's dynamic loader is glibc's, otherwise why a preload is
 * impossible. */
static const char *loader_obstacle(const struct elf_image *image) {
    static char text[PATH_MAX + 64];
    const ElfW(Phdr) *segment = elf_segment(image, PT_INTERP);
    if (!segment)
        return "it is statically linked";
    const char *loader = elf_string(image, segment->p_offset);
    const char *slash = loader ? strrchr(loader, '/') : NULL;
    if (!slash || strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64", 5) == 0)
        return NULL;
    snprintf(text, sizeof text, "it is loaded by %s, not by glibc", loader);
    return text;
}

const char *run_command_obstacle(const char *path) {
    struct elf_image image;
    char file[PATH_MAX];
    const char *obstacle = NULL;
    if (has_privileges(path))
        return "it is set-user-ID, set-group-ID or has capabilities";
    if (elf_map_program(path, &image, file, sizeof file) && elf_is_elf(&image))
        obstacle = elf_is_native(&image) ? loader_obstacle(&image)
                                         : "it is for another machine or word size";
    elf_unmap(&image);
    return obstacle;
}

static void exec_by_shell(const char *path, char **argv) {
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = calloc(count + 2, sizeof *words);
    if (!words)
        run_fail(RUN_NOT_EXECUTABLE, "%s: no memory", path);
    words[0] = (char *)"sh";
    words[1] = (char *)path;
    for (size_t i = 1; i < count; i++)
        words[i + 1] = argv[i];
    execv("/bin/sh", words);
}

void run_command_exec(const char *path, char **argv) {
    execv(path, argv);
    if (errno == ENOEXEC)
        exec_by_shell(path, argv);
    int status = errno == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
    run_fail(status, "%s: %s", path, strerror(errno));
}
