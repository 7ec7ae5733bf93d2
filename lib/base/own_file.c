/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Examines the file after opening it, so that links are followed. */
#include "config.h"

#include "lib/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *fault_of(int file) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return "not a plain file";
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "it is another user's";
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return "others can write it";
    return NULL;
}

FILE *own_file_open(const char *path, const char **wrong) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        *wrong = errno == ENXIO ? "not a plain file" : NULL;
        return NULL;
    }
    *wrong = fault_of(file);
    FILE *stream = *wrong ? NULL : fdopen(file, "r");
    if (!stream)
        close(file);
    if (!stream && !*wrong)
        *wrong = "no memory";
    errno = 0;
    return stream;
}
