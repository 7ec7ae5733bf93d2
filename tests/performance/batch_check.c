/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints what the check of batches costs.  Two processes, with verify:off and verify:device, run
 * the same operations alternately; batches stay on the device. batch_check [LIMBS_OF_A_BATCH
 * [ROUNDS [OPERATIONS]]] OPERATIONS: the first n rows of each shape. Times are medians and least
 * times in ms; the last columns are the ratios of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "include/mpgpu.h"

enum { OPERATIONS = 5, SHAPES = 3, MODES = 2, MOST_ROUNDS = 1000 };

static const char *const operation_name[OPERATIONS] = {"add", "sum of 4", "mul", "mod_mul",
                                                       "mod_pow"};
static const char *const mode_name[MODES] = {"verify:off", "verify:device"};
static const size_t shape[SHAPES] = {4, 32, 256};

struct numbers {
    mpgpu_batch *u, *v, *odd, *r, *twice, *e;
    mpgpu_batch_modulus *m;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void demand(int error) {
    if (!error)
        return;
    fprintf(stderr, "batch_check: %s\n", mpgpu_error());
    exit(1);
}

static mpgpu_batch *batch(size_t count, size_t n, mp_limb_t seed) {
    mpgpu_batch *b = mpgpu_batch_create(count, n);
    mp_limb_t *x = malloc(count * n * sizeof *x);
    demand(!b || !x);
    for (size_t i = 0; i < count * n; i++)
        x[i] = ((mp_limb_t)i * 0x9e3779b97f4a7c15u + seed) | 1;
    demand(mpgpu_batch_set(b, x));
    free(x);
    return b;
}

static struct numbers numbers_of(size_t count, size_t n) {
    struct numbers x = {.u = batch(count, n, 1),
                        .v = batch(count, n, 0x1234567),
                        .odd = batch(count, n, 0x7654321),
                        .r = batch(count, n, 0),
                        .twice = batch(count, 2 * n, 0),
                        .e = batch(1, 1, 65537)};
    demand(!(x.m = mpgpu_batch_modulus_create(x.odd)));
    return x;
}

static void numbers_free(struct numbers x) {
    mpgpu_batch_modulus_destroy(x.m);
    mpgpu_batch *const all[] = {x.u, x.v, x.odd, x.r, x.twice, x.e};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_batch_destroy(all[i]);
}

static void operate(int operation, struct numbers x) {
    mpgpu_batch *const four[] = {x.u, x.v, x.odd, x.u};
    switch (operation) {
    case 0:
        demand(mpgpu_batch_add(x.r, NULL, x.u, x.v));
        break;
    case 1:
        demand(mpgpu_batch_sum(x.r, NULL, four, 4, 0));
        break;
    case 2:
        demand(mpgpu_batch_mul(x.twice, x.u, x.v));
        break;
    case 3:
        demand(mpgpu_batch_mod_mul(x.r, x.u, x.v, x.m));
        break;
    default:
        demand(mpgpu_batch_mod_pow(x.r, x.u, x.e, x.m));
    }
}

/* For each byte that arrives, runs the next operation and writes its time. */
static int serve(int in, int out, size_t limbs, unsigned rounds, int operations) {
    if (!mpgpu_wait()) {
        fprintf(stderr, "batch_check: no device\n");
        return 1;
    }
    for (int s = 0; s < SHAPES; s++) {
        struct numbers x = numbers_of(limbs / shape[s] + 1, shape[s]);
        for (int operation = 0; operation < operations; operation++)
            for (unsigned k = 0; k <= rounds; k++) { /* the first one warms up */
                char go;
                if (read(in, &go, 1) != 1)
                    return 1;
                double start = now();
                operate(operation, x);
                double time = now() - start;
                if (!mpgpu_batch_on_device(operation == 2 ? x.twice : x.r))
                    time = -1;
                if (write(out, &time, sizeof time) != sizeof time)
                    return 1;
            }
        numbers_free(x);
    }
    return 0;
}

struct server {
    pid_t pid;
    int in, out;
};

static struct server start(char **argv, const char *mode) {
    int to[2], from[2];
    demand(pipe(to) || pipe(from));
    struct server s = {.pid = fork(), .in = to[1], .out = from[0]};
    if (s.pid == 0) {
        const char *given = getenv("MPGPU_CONF");
        char conf[1024], in[16], out[16];
        snprintf(conf, sizeof conf, "%s%s%s", given ? given : "", given && *given ? "," : "", mode);
        snprintf(in, sizeof in, "%d", to[0]);
        snprintf(out, sizeof out, "%d", from[1]);
        setenv("MPGPU_CONF", conf, 1);
        close(to[1]);
        close(from[0]);
        execl("/proc/self/exe", argv[0], argv[1], argv[2], argv[3], in, out, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return s;
}

static double ask(struct server s) {
    double time;
    if (write(s.in, "", 1) != 1 || read(s.out, &time, sizeof time) != sizeof time) {
        fprintf(stderr, "batch_check: a process has failed\n");
        exit(1);
    }
    if (time < 0) {
        fprintf(stderr, "batch_check: computed on the host\n");
        exit(1);
    }
    return time;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const struct server *s, unsigned rounds, const char *name, size_t n) {
    static double time[MODES][MOST_ROUNDS];
    for (int mode = 0; mode < MODES; mode++)
        ask(s[mode]);
    for (unsigned k = 0; k < rounds; k++)
        for (int mode = 0; mode < MODES; mode++)
            time[mode][k] = ask(s[mode]);
    for (int mode = 0; mode < MODES; mode++)
        qsort(time[mode], rounds, sizeof **time, by_time);
    const double *off = time[0], *on = time[1];
    printf("%-10s %6zu %10.3f %10.3f %10.3f %10.3f %8.2f %8.2f\n", name, n, 1e3 * off[rounds / 2],
           1e3 * on[rounds / 2], 1e3 * off[0], 1e3 * on[0], on[rounds / 2] / off[rounds / 2],
           on[0] / off[0]);
    fflush(stdout);
}

int main(int argc, char **argv) {
    char limbs[32], rounds_text[32], operations_text[32];
    snprintf(limbs, sizeof limbs, "%s", argc > 1 ? argv[1] : "1048576");
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 21;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    int operations = argc > 3 ? atoi(argv[3]) : OPERATIONS;
    operations = operations < 1 || operations > OPERATIONS ? OPERATIONS : operations;
    if (argc == 6)
        return serve(atoi(argv[4]), atoi(argv[5]), strtoul(limbs, NULL, 0), rounds, operations);
    snprintf(rounds_text, sizeof rounds_text, "%u", rounds);
    snprintf(operations_text, sizeof operations_text, "%d", operations);
    char *arguments[] = {argv[0], limbs, rounds_text, operations_text, NULL};
    struct server s[MODES];
    for (int mode = 0; mode < MODES; mode++)
        s[mode] = start(arguments, mode_name[mode]);
    printf("%-10s %6s %10s %10s %10s %10s %8s %8s\n", "operation", "limbs", "off", "device",
           "least off", "device", "median", "least");
    for (int k = 0; k < SHAPES; k++)
        for (int operation = 0; operation < operations; operation++)
            compare(s, rounds, operation_name[operation], shape[k]);
    int failed = 0;
    for (int mode = 0; mode < MODES; mode++) {
        int status;
        failed |= waitpid(s[mode].pid, &status, 0) != s[mode].pid || status != 0;
    }
    return failed;
}
