/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How much later programs start and end under preload.
 * Usage: starts LIBRARY REPEATS PROGRAM [ARGUMENT...]
 * The program runs in turns without and with LIBRARY in LD_PRELOAD, from posix_spawn to its end.
 * Prints the medians of both and their difference in microseconds, then the medians of the page
 * faults of both. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

struct run {
    double time, faults;
};

/* From before the process is made to its end. */
static struct run run(char **command, char **environment, posix_spawn_file_actions_t *quiet) {
    pid_t child;
    int status;
    struct rusage usage;
    double start = now_us();
    int error = posix_spawnp(&child, *command, quiet, NULL, command, environment);
    if (error) {
        fprintf(stderr, "starts: %s: %s\n", *command, strerror(error));
        exit(1);
    }
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    double time = now_us() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "starts: %s failed\n", *command);
        exit(1);
    }
    return (struct run){time, (double)usage.ru_minflt};
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

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

enum { MOST = 10000 };
static double times[2][MOST], faults[2][MOST];

/* In turns; the first time fills caches. */
static void measure(char **command, char **const environments[2], int repeats) {
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    for (int i = -1; i < repeats; i++)
        for (int k = 0; k < 2; k++) {
            struct run r = run(command, environments[k], &quiet);
            times[k][i < 0 ? 0 : i] = r.time;
            faults[k][i < 0 ? 0 : i] = r.faults;
        }
}

int main(int argc, char **argv) {
    int repeats = argc < 4 ? 0 : atoi(argv[2]);
    char *preload = NULL, empty[] = "MPGPU_STARTS=";
    if (repeats < 1 || repeats > MOST) {
        fprintf(stderr, "usage: starts LIBRARY REPEATS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (asprintf(&preload, "LD_PRELOAD=%s", argv[1]) < 0)
        return 1;
    char **const environments[2] = {environment_of(empty), environment_of(preload)};
    measure(argv + 3, environments, repeats);
    double alone = median(times[0], repeats), with = median(times[1], repeats);
    printf("%.0f %.0f %.0f %.0f %.0f\n", alone, with, with - alone, median(faults[0], repeats),
           median(faults[1], repeats));
    return 0;
}
