/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A preloaded library that logs and disturbs the writes and flushes of batch-gcd's file.  It
 * appends "w OFFSET SIZE" for each write and "s" for each flush to the file that DYING_LOG names.
 * With DYING_AT=N, write number N (from 1) writes half of its bytes and kills the process.  With
 * FAILING_AT=N, write or flush number N fails.  BEFORE_READ is a shell command that runs before the
 * first read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
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

/* Returns true if this write or flush must fail.  The data is written nevertheless: after an error
 * it may be on the disk. */
static int fails(void) {
    static int calls;
    const char *at = getenv("FAILING_AT");
    if (!at || ++calls != atoi(at))
        return 0;
    errno = EIO;
    return 1;
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
    ssize_t done = real(fd, data, size, offset);
    return fails() ? -1 : done;
}

static ssize_t got(const char *name, int fd, void *data, size_t size, off_t offset) {
    static int reads;
    const char *command = getenv("BEFORE_READ");
    ssize_t (*real)(int, void *, size_t, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, name);
    if (command && reads++ == 0) {
        unsetenv("LD_PRELOAD");
        if (system(command) != 0)
            abort();
    }
    return real(fd, data, size, offset);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return written("pwrite", fd, data, size, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) {
    return written("pwrite64", fd, data, size, offset);
}

EXPORT ssize_t pread(int fd, void *data, size_t size, off_t offset) {
    return got("pread", fd, data, size, offset);
}

EXPORT ssize_t pread64(int fd, void *data, size_t size, off_t offset) {
    return got("pread64", fd, data, size, offset);
}

EXPORT int fsync(int fd) {
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    report("s\n", 0, 0);
    int error = real(fd);
    return fails() ? -1 : error;
}
