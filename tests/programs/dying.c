/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Preloaded: appends the file's writes and flushes to the file that DYING_LOG names, "w OFFSET
 * SIZE" and "s".  With DYING_AT, the write of this number, from 1, writes half of its bytes and
 * kills the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void report(const char *format, long offset, long size) {
    const char *path = getenv("DYING_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log)
        return;
    fprintf(log, format, offset, size);
    fclose(log);
}

static ssize_t written(const char *name, int fd, const void *data, size_t size, off_t offset) {
    static int writes;
    const char *at = getenv("DYING_AT");
    ssize_t (*real)(int, const void *, size_t, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, name);
    report("w %ld %ld\n", (long)offset, (long)size);
    if (at && ++writes == atoi(at)) {
        real(fd, data, size / 2, offset);
        raise(SIGKILL);
    }
    return real(fd, data, size, offset);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return written("pwrite", fd, data, size, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) {
    return written("pwrite64", fd, data, size, offset);
}

EXPORT int fsync(int fd) {
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    report("s\n", 0, 0);
    return real(fd);
}
