/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What short programs take, from posix_spawn to their end: with GMP alone, under preload without a
 * device (backend:none), under preload where no server runs at their start, and where one does.
 * Usage: short_programs BUILD_DIR [BACKEND [REPEATS [MOST_MS]]]
 *   BACKEND  auto, cuda or opencl
 *   REPEATS  of each program, 11; the medians count
 *   MOST_MS  programs that take GMP longer are left out, 12000
 * Works in a build tree, or in what make device-bundle makes.  A program computes k products of n
 * bits (short_programs products N K).  Prints a table; `!` marks what misses its limit. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <gmp.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_REPEATS = 101, LONG_MS = 1000, LONG_REPEATS = 3, PAUSE_US = 100000 };

static char build[PATH_MAX], self[PATH_MAX], folder[] = "/tmp/mpgpu-short.XXXXXX";
static const char *backend = "auto";

/* ---- the program */

static int products(unsigned long bits, long count) {
    mpz_t a, b, p;
    mpz_inits(a, b, p, NULL);
    mpz_setbit(a, bits - 1);
    mpz_sub_ui(a, a, 12345);
    mpz_setbit(b, bits - 1);
    mpz_sub_ui(b, b, 54321);
    while (count-- > 0)
        mpz_mul(p, a, b);
    return mpz_sgn(p) <= 0;
}

/* ---- its surroundings */

static void stop(const char *what) {
    fprintf(stderr, "short_programs: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void set(const char *name, const char *format, const char *value) {
    char text[2 * PATH_MAX];
    snprintf(text, sizeof text, format, value);
    if (*text ? setenv(name, text, 1) : unsetenv(name))
        stop(name);
}

/* Milliseconds from before the process is made to its end. */
static double run(char **command) {
    pid_t child;
    int status;
    double start = now_ms();
    errno = posix_spawn(&child, *command, NULL, NULL, command, environ);
    if (errno)
        stop(*command);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    double ms = now_ms() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        stop("a program has failed");
    return ms;
}

/* The server's socket is made in `runtime`/mpgpu, before the devices are opened. */
static void set_runtime(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        stop(path);
    set("XDG_RUNTIME_DIR", "%s", path);
}

/* A server that the last program has started may still be opening its devices. */
static void end_server(void) {
    char command[2 * PATH_MAX];
    usleep(PAUSE_US);
    snprintf(command, sizeof command,
             "for s in \"$XDG_RUNTIME_DIR\"/mpgpu/serve-*; do "
             "[ ! -e \"$s\" ] || '%s/tools/mpgpu-serve' --end 2>/dev/null; done; true",
             build);
    if (system(command) != 0)
        stop("mpgpu-serve --end");
}

enum way { ALONE, NONE, COLD, WARM, WAYS };

static double run_way(enum way way, char **command) {
    char conf[64];
    snprintf(conf, sizeof conf, "backend:%s,server:auto", way == NONE ? "none" : backend);
    bool is_preloaded = way != ALONE;
    set_runtime(way == WARM ? "warm" : "cold");
    set("MPGPU_CONF", "%s", is_preloaded ? conf : "");
    set("LD_PRELOAD", is_preloaded ? "%s/.libs/libmpgpu-gmp.so.0" : "", build);
    double ms = run(command);
    set("LD_PRELOAD", "", "");
    if (way == COLD)
        end_server();
    return ms;
}

/* A server that has proved its kernels. */
static void warm_up(char **command) {
    char conf[64];
    snprintf(conf, sizeof conf, "backend:%s,server:auto,open:wait", backend);
    set_runtime("warm");
    set("MPGPU_CONF", "%s", conf);
    set("LD_PRELOAD", "%s/.libs/libmpgpu-gmp.so.0", build);
    run(command);
    set("LD_PRELOAD", "", "");
}

/* ---- the table */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_one(double ms, double limit) {
    printf(" %.1f%s |", ms, ms > limit ? " !" : "");
}

static void measure(char *n, char *k, int repeats, double most) {
    static double ms[WAYS][MOST_REPEATS];
    char program[] = "products";
    char *command[] = {self, program, n, k, NULL};
    double first = run_way(ALONE, command);
    if (first > most)
        return;
    int count = first > LONG_MS && repeats > LONG_REPEATS ? LONG_REPEATS : repeats;
    warm_up(command);
    for (int i = 0; i < count; i++)
        for (int way = 0; way < WAYS; way++)
            ms[way][i] = run_way((enum way)way, command);
    double gmp = median(ms[ALONE], count);
    printf("| %s | %s | %.1f |", n, k, gmp);
    print_one(median(ms[NONE], count), 1.01 * gmp + 0.5);
    print_one(median(ms[COLD], count), 1.05 * gmp + 5);
    print_one(median(ms[WARM], count), 1.02 * gmp + 2);
    printf("\n");
    fflush(stdout);
}

static void measure_all(int repeats, double most) {
    static char rows[][2][10] = {{"65536", "10"},    {"65536", "100"},  {"1000000", "1"},
                                 {"1000000", "5"},   {"1000000", "20"}, {"1000000", "60"},
                                 {"10000000", "1"},  {"10000000", "4"}, {"10000000", "20"},
                                 {"100000000", "1"}, {"100000000", "8"}};
    printf("| bits | products | GMP, ms | backend:none (1.01 x) | no server runs (1.05 x + 5 ms) | "
           "a server runs (1.02 x + 2 ms) |\n| ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(rows[i][0], rows[i][1], repeats, most);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "products") == 0)
        return products(strtoul(argv[2], NULL, 10), atol(argv[3]));
    int repeats = argc > 3 ? atoi(argv[3]) : 11;
    if (argc < 2 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: short_programs BUILD_DIR [BACKEND [REPEATS [MOST_MS]]]\n");
        return 2;
    }
    backend = argc > 2 ? argv[2] : backend;
    if (!realpath(argv[1], build) || !realpath("/proc/self/exe", self) || !mkdtemp(folder))
        stop(argv[1]);
    measure_all(repeats, argc > 4 ? atof(argv[4]) : 12000);
    set_runtime("warm");
    end_server();
    set_runtime("cold");
    end_server();
    set("FOLDER", "%s", folder);
    return system("rm -rf \"$FOLDER\"") != 0;
}
