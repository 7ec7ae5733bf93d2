/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How much later programs start and end under preload.
 * Usage: starts LIBRARY REPEATS PROGRAM [ARGUMENT...]
 * The program runs in turns without and with LIBRARY in LD_PRELOAD, from posix_spawn to its end.
 * Prints the medians of both and their difference in microseconds. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Its time, from before the process is made to its end. */
static double run(char **command, char **environment, posix_spawn_file_actions_t *quiet) {
    pid_t child;
    int status;
    double start = now_us();
    int error = posix_spawnp(&child, *command, quiet, NULL, command, environment);
    if (error) {
        fprintf(stderr, "starts: %s: %s\n", *command, strerror(error));
        exit(1);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    double time = now_us() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "starts: %s failed\n", *command);
        exit(1);
    }
    return time;
}

/* This environment, without and with the library in its first place. */
static char **environment_of(char *preload) {
    size_t count = 0, kept = 1;
    while (environ[count])
        count++;
    char **made = calloc(count + 2, sizeof *made);
    if (!made)
        exit(1);
    *made = preload;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            made[kept++] = environ[i];
    return made;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, by_size);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

int main(int argc, char **argv) {
    int repeats = argc < 4 ? 0 : atoi(argv[2]);
    if (repeats < 1) {
        fprintf(stderr, "usage: starts LIBRARY REPEATS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    char *preload = NULL, empty[] = "MPGPU_STARTS=";
    double *alone = calloc((size_t)repeats, sizeof *alone);
    double *with = calloc((size_t)repeats, sizeof *with);
    if (!alone || !with || asprintf(&preload, "LD_PRELOAD=%s", argv[1]) < 0)
        return 1;
    char **plain = environment_of(empty), **preloaded = environment_of(preload);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    for (int i = -1; i < repeats; i++) { /* the first time fills caches */
        double a = run(argv + 3, plain, &quiet), b = run(argv + 3, preloaded, &quiet);
        if (i >= 0) {
            alone[i] = a;
            with[i] = b;
        }
    }
    double a = median(alone, repeats), b = median(with, repeats);
    printf("%.0f %.0f %.0f\n", a, b, b - a);
    return 0;
}
