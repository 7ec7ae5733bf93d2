/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes an output file that appears complete or not at all. */
#include "config.h"

#include "examples/mandelbrot/picture/output.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/mandelbrot/picture/temporary.h"

static enum status cannot_write(const struct output *o) {
    return complain("%s: %s", o->name, strerror(errno));
}

/* Returns the mode of the existing file, or the mode that a new file would get from the umask. */
static mode_t mode_of(const char *path) {
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    return stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
}

static enum status open_temporary(struct output *o) {
    int fd = temporary_begin(o->path);
    if (fd < 0)
        return cannot_write(o);
    o->file = fchmod(fd, mode_of(o->path)) == 0 ? fdopen(fd, "wb") : NULL;
    return o->file ? STATUS_DONE : cannot_write(o);
}

static enum status open_directly(struct output *o) {
    temporary_begin(NULL);
    o->file = strcmp(o->name, "-") == 0 ? fdopen(dup(STDOUT_FILENO), "wb") : fopen(o->name, "wb");
    return o->file ? STATUS_DONE : cannot_write(o);
}

enum status output_open(struct output *o, const char *name) {
    struct stat old;
    *o = (struct output){.name = name};
    /* Makes writes beyond the file size limit, and to closed pipes, return errors. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    bool is_there = stat(name, &old) == 0;
    if (strcmp(name, "-") == 0 || (is_there && !S_ISREG(old.st_mode)))
        return open_directly(o);
    if (is_there && access(name, W_OK) != 0)
        return cannot_write(o);
    o->path = is_there ? realpath(name, NULL) : strdup(name);
    enum status status = o->path ? open_temporary(o) : cannot_write(o);
    if (status != STATUS_DONE)
        output_abandon(o);
    return status;
}

void output_abandon(struct output *o) {
    if (o->file)
        fclose(o->file);
    temporary_end();
    free(o->path);
    *o = (struct output){0};
}

/* Flushes and closes the file, after fsync if it is a regular file. Returns true if all
 * succeeded; otherwise errno has the first error. */
static bool close_whole(struct output *o) {
    bool is_whole = fflush(o->file) == 0 && (!o->path || fsync(fileno(o->file)) == 0);
    int error = errno;
    bool is_closed = fclose(o->file) == 0;
    o->file = NULL;
    if (!is_whole)
        errno = error;
    return is_whole && is_closed;
}

enum status output_commit(struct output *o) {
    bool is_done = close_whole(o) && (!o->path || temporary_rename(o->path) == 0);
    enum status status = is_done ? STATUS_DONE : cannot_write(o);
    output_abandon(o);
    return status;
}
