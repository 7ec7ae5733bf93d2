/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A file that is there whole or not at all. */
#include "config.h"

#include "examples/mandelbrot/picture/output.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The file that a signal removes. */
static const char *volatile to_remove;

static void on_signal(int number) {
    if (to_remove)
        unlink(to_remove);
    raise(number); /* SA_RESETHAND: ends the process */
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails then */
    signal(SIGPIPE, SIG_IGN);
}

static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    pthread_sigmask(how, &set, NULL);
}

static enum status cannot_write(const struct output *o) {
    return complain("%s: %s", o->name, strerror(errno));
}

/* Another file beside o->path. */
static char *temporary_name(const char *path) {
    static const char ending[] = ".XXXXXX";
    char *name = malloc(strlen(path) + sizeof ending);
    if (name)
        strcat(strcpy(name, path), ending);
    return name;
}

/* The mode that a new file of this name would have, or the old one's. */
static mode_t mode_of(const char *path) {
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    return stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
}

static enum status open_temporary(struct output *o) {
    o->temporary = temporary_name(o->path);
    block_signals(SIG_BLOCK);
    int fd = o->temporary ? mkstemp(o->temporary) : -1;
    if (fd >= 0)
        to_remove = o->temporary;
    block_signals(SIG_UNBLOCK);
    if (fd < 0)
        return cannot_write(o);
    o->file = fchmod(fd, mode_of(o->path)) == 0 ? fdopen(fd, "wb") : NULL;
    return o->file ? STATUS_DONE : cannot_write(o);
}

static enum status open_directly(struct output *o) {
    o->file = strcmp(o->name, "-") == 0 ? fdopen(dup(STDOUT_FILENO), "wb") : fopen(o->name, "wb");
    return o->file ? STATUS_DONE : cannot_write(o);
}

enum status output_open(struct output *o, const char *name) {
    struct stat old;
    *o = (struct output){.name = name};
    catch_signals();
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

static void forget(struct output *o) {
    to_remove = NULL;
    free(o->temporary);
    free(o->path);
    *o = (struct output){0};
}

void output_abandon(struct output *o) {
    if (o->file)
        fclose(o->file);
    if (to_remove)
        unlink(to_remove);
    forget(o);
}

enum status output_commit(struct output *o) {
    bool is_whole = fflush(o->file) == 0 && (!o->path || fsync(fileno(o->file)) == 0);
    int error = errno;
    is_whole &= fclose(o->file) == 0;
    o->file = NULL;
    errno = is_whole ? errno : error;
    if (is_whole && (!o->path || rename(o->temporary, o->path) == 0)) {
        forget(o);
        return STATUS_DONE;
    }
    enum status status = cannot_write(o);
    output_abandon(o);
    return status;
}
