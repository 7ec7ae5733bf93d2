/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates and opens folders that only the user can write to. */
#include "config.h"

#include "gpu/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void folder_make(const char *path) {
    char copy[4096];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    mkdir(copy, 0700);
}

/* Returns the open folder `at` if only the user can write to it. Otherwise closes it, sets
 * *wrong to the reason, and returns -1. */
static int examine(int at, const char **wrong) {
    struct stat status;
    if (at < 0) {
        *wrong = strerror(errno);
        return -1;
    }
    if (fstat(at, &status) == 0 && status.st_uid == geteuid() &&
        !(status.st_mode & (S_IWGRP | S_IWOTH)))
        return at;
    *wrong = "others can write this folder";
    close(at);
    errno = EPERM;
    return -1;
}

int folder_open(const char *path, const char **wrong) {
    return examine(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), wrong);
}

int folder_open_in(int at, const char *name, const char **wrong) {
    mkdirat(at, name, 0700);
    return examine(openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), wrong);
}
