/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates the temporary file for a picture, and removes it if a signal ends the program. */
#include "config.h"

#include "examples/mandelbrot/picture/temporary.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The name of the file that a signal handler removes; NULL if there is none. */
static char *volatile to_remove;

static struct {
    pthread_t thread;
    bool is_there;
} watcher;

static void on_signal(int number) {
    if (to_remove)
        unlink(to_remove);
    raise(number); /* SA_RESETHAND has reset the handler, so this ends the process */
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

static void block_signals(sigset_t *before) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Runs in a thread that only receives signals: the kernel delivers a signal to any thread that
 * has not blocked it. */
static void *watch(void *unused) {
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

/* Starts the watcher's thread with all signals blocked except `signals`; signals that were blocked
 * before remain blocked. */
static void start_watcher(void) {
    sigset_t others, before;
    sigfillset(&others);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    for (int i = 0; i < SIGNALS; i++)
        if (!sigismember(&before, signals[i]))
            sigdelset(&others, signals[i]);
    pthread_sigmask(SIG_SETMASK, &others, NULL);
    watcher.is_there = pthread_create(&watcher.thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_watcher(void) {
    if (!watcher.is_there)
        return;
    pthread_cancel(watcher.thread);
    pthread_join(watcher.thread, NULL);
    watcher.is_there = false;
}

/* Returns a template for mkstemp in the folder of `path`. Its length does not depend on the
 * file's name, since that name may already have the maximum length. */
static char *name_beside(const char *path) {
    static const char name[] = ".mandelbrot.XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *beside = malloc(folder + sizeof name);
    if (beside)
        strcpy((char *)memcpy(beside, path, folder) + folder, name);
    return beside;
}

static int make_file(const char *path) {
    char *name = name_beside(path);
    sigset_t before;
    block_signals(&before);
    int fd = name ? mkstemp(name) : -1;
    if (fd >= 0)
        to_remove = name;
    else
        free(name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

int temporary_begin(const char *path) {
    catch_signals();
    int fd = path ? make_file(path) : -1;
    if (fd >= 0 || !path)
        start_watcher();
    return fd;
}

/* Frees the name, so that signals no longer remove the file. */
static void forget(void) {
    char *name = to_remove;
    stop_watcher();
    to_remove = NULL;
    free(name);
}

int temporary_rename(const char *path) {
    if (rename(to_remove, path) != 0)
        return -1;
    forget();
    return 0;
}

void temporary_end(void) {
    if (to_remove)
        unlink(to_remove);
    forget();
}
