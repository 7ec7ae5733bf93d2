/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the environment of the project's own processes (own_process.h). */
#include "config.h"

#include "gpu/build/own_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/folder.h"
#include "gpu/host/pages.h"

enum {
    FIRST_FILE = 10 /* lowest descriptor for POCL_CACHE_DIR; the process may use lower numbers */,
    OLD_SECONDS = 600,
    MOST_ENDED = 1000
};

static void complete_path(void) {
    char path[8192];
    const char *given = getenv("PATH");
    bool is_given = given && *given; /* an empty PATH entry would mean the current folder */
    snprintf(path, sizeof path, "%s%s/usr/local/bin:/usr/bin:/bin", is_given ? given : "",
             is_given ? ":" : "");
    setenv("PATH", path, true);
}

/* Raises the process's oom_score_adj. A process without privileges may raise this number but not
 * lower it. */
void own_process_is_ended_first(void) {
    int now = MOST_ENDED;
    FILE *file = fopen("/proc/self/oom_score_adj", "re");
    if (file && fscanf(file, "%d", &now) != 1)
        now = MOST_ENDED;
    if (file)
        fclose(file);
    file = now < MOST_ENDED ? fopen("/proc/self/oom_score_adj", "we") : NULL;
    if (file) {
        fprintf(file, "%d", MOST_ENDED);
        fclose(file);
    }
}

/* ---- PoCL's cache */

/* Opens the folder that POCL_CACHE_DIR names. Returns -1 if the variable is not set or others
 * can write to the folder. */
static int open_given(const char **wrong) {
    const char *given = getenv("POCL_CACHE_DIR");
    if (!given || !*given)
        return -1;
    int file = folder_open(given, wrong);
    if (file < 0 && errno != ENOENT)
        gpu_log(GPU_LOG_WARNING, "POCL_CACHE_DIR is not used: %s: %s", given, *wrong);
    return file;
}

static int open_own(const char **wrong) {
    char path[4096];
    *wrong = "no folder for the cache";
    if (!cache_get_dir(path, sizeof path))
        return -1;
    folder_make(path);
    int above = folder_open(path, wrong);
    if (above < 0)
        return -1;
    int file = folder_open_in(above, "pocl", wrong);
    close(above);
    return file;
}

/* Removes old temporary files of PoCL from the library's own folder. PoCL leaves an empty file for
 * each loaded program, and more files if it was killed. */
static void remove_old(int folder) {
    struct stat status;
    const struct dirent *entry;
    DIR *list = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (list && (entry = readdir(list)))
        if (strncmp(entry->d_name, "tempfile", 8) == 0 &&
            fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && status.st_mtime < time(NULL) - OLD_SECONDS)
            unlinkat(folder, entry->d_name, 0);
    if (list)
        closedir(list);
}

/* Sets POCL_CACHE_DIR to the open folder's descriptor under /proc/self/fd; PoCL's linker process
 * inherits the descriptor. So renaming a parent folder cannot substitute another folder. */
static bool name_folder(int folder) {
    char path[32];
    int kept = fcntl(folder, F_DUPFD, FIRST_FILE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", kept);
    return kept >= 0 && access(path, W_OK | X_OK) == 0 && setenv("POCL_CACHE_DIR", path, true) == 0;
}

static const char *fault(const char *wrong) {
    static char reason[64];
    snprintf(reason, sizeof reason, "a cache for its programs: %s", wrong);
    return reason;
}

static void use_safe_folder(void) {
    const char *wrong = "";
    int folder = open_given(&wrong);
    bool is_own = folder < 0;
    if (is_own)
        folder = open_own(&wrong);
    if (folder >= 0 && !name_folder(folder))
        wrong = "it cannot be used";
    else if (folder >= 0)
        wrong = NULL;
    if (wrong)
        gpu_forbid_cpus(fault(wrong));
    else if (is_own)
        remove_old(folder);
    if (folder >= 0)
        close(folder);
}

void own_process_begin(void) {
    complete_path();
    if (!gpu_uses_kernels_of_gpus())
        setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", false);
    use_safe_folder();
}

/* Finds the folder from which PoCL will load machine code. */
static bool find_folder(char path[PATH_MAX]) {
    static const struct {
        const char *variable, *within;
    } places[] = {{"POCL_CACHE_DIR", ""},
                  {"XDG_CACHE_HOME", "/pocl/kcache"},
                  {"HOME", "/.cache/pocl/kcache"}};
    const char *value = NULL;
    size_t i = 0;
    while (i < sizeof places / sizeof *places && !((value = getenv(places[i].variable)) && *value))
        i++;
    return value && *value == '/' &&
           snprintf(path, PATH_MAX, "%s%s", value, places[i].within) < PATH_MAX;
}

/* Returns true if a user other than this one or root owns a parent folder of `path`. */
static bool is_within_others(char *path) {
    struct stat status;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (stat(path, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0))
            return true;
        *slash = '/';
    }
    return false;
}

const char *gpu_cpus_fault(void) {
    /* static, because the stack may be small and only one thread at a time calls this */
    static LARGE_ZERO char path[PATH_MAX], real[PATH_MAX];
    char *slash;
    const char *wrong;
    if (!find_folder(path))
        return fault("no folder for it");
    while (!realpath(path, real) && (slash = strrchr(path, '/')) > path)
        *slash = '\0'; /* PoCL makes it */
    int file = folder_open(real, &wrong);
    if (file < 0)
        return fault(wrong);
    close(file);
    return is_within_others(real) ? fault("in a folder of another user") : NULL;
}
