/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads a file of options or a profile. Opens it before examining its owner and permissions, so
 * that a link's target is examined. */
#include "config.h"

#include "lib/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

/* Reads the rest of the file. Returns NULL, and sets *wrong to the reason, without memory or if a
 * read fails. Does the same if the file is larger than a text of options can be, or if a zero byte
 * would hide the lines behind it. */
static char *read_all(int file, const char **wrong) {
    enum { STEP = 16 << 10, MOST = 16 << 20 };
    char *text = NULL;
    *wrong = "too large";
    for (size_t n = 0, room = 0; room < MOST;) {
        char *more = realloc(text, room += STEP + room);
        *wrong = more ? "too large" : "no memory";
        if (!more)
            break;
        text = more;
        ssize_t got = 0;
        while (n < room - 1 && (got = read(file, text + n, room - 1 - n)) > 0)
            n += (size_t)got;
        text[n] = '\0';
        if (n == room - 1)
            continue;
        *wrong = got < 0 ? "it cannot be read" : strlen(text) < n ? "it has a zero byte" : NULL;
        if (!*wrong)
            return text;
        break;
    }
    free(text);
    return NULL;
}

char *own_file_read(const char *path, const char **wrong) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        *wrong = errno == ENXIO ? "not a plain file" : NULL;
        return NULL;
    }
    *wrong = fault_of(file);
    char *text = *wrong ? NULL : read_all(file, wrong);
    close(file);
    errno = 0;
    return text;
}
