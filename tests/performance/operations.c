/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times GMP's functions by size, alone or under preload.  Prints a line for each: name, size in
 * bits, the best of a few runs in milliseconds, and a hash of the results.  The hash must not
 * depend on where the results are computed.  The milliseconds of the first run, which opens the
 * device, and of the second run follow.
 *
 * Usage: operations MOST_SECONDS [NAME...] BITS...
 *
 * NAME is an operation or a group of operations in operations_list.c (theory, texts).  The default
 * is the group composite.  An operation that would take longer than MOST_SECONDS is not run: its
 * times are "-".  If PRODUCTS is set in the environment, operands are results of products, as in
 * most programs.  Under preload such operands are in the library's memory pool, others in memory of
 * malloc. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/performance/operations.h"

enum { LEAST_RUNS = 2, RUNS = 10, MOST_OPERATIONS = 64 };
static const double enough = 1; /* seconds after which an operation is not run again */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t count) {
    for (const unsigned char *p = bytes; count > 0; count--)
        sum = (sum ^ *p++) * 0x100000001b3u;
    return sum;
}

static uint64_t hash_integer(uint64_t sum, const mpz_t x) {
    return hash(sum, mpz_limbs_read(x), mpz_size(x) * sizeof(mp_limb_t));
}

static uint64_t hash_results(void) {
    uint64_t sum = hash(0, &results.returned, sizeof results.returned);
    sum = hash_integer(hash_integer(sum, results.q), results.r);
    sum =
        hash_integer(hash_integer(sum, mpq_numref(results.fraction)), mpq_denref(results.fraction));
    sum = hash(sum, results.z->_mp_d, (size_t)abs(results.z->_mp_size) * sizeof(mp_limb_t));
    return results.text ? hash(sum, results.text, strlen(results.text)) : sum;
}

/* Seconds. */
struct times {
    double first, second, best;
};

static void forget_text(void) {
    free(results.text);
    results.text = NULL;
}

static struct times time_runs(void (*run)(void)) {
    double begin = now();
    struct times t = {0, 0, 0};
    for (int i = 0; i < RUNS && (i < LEAST_RUNS || now() - begin < enough); i++) {
        forget_text();
        double start = now();
        run();
        double time = now() - start;
        t.first = i == 0 ? time : t.first;
        t.second = i == 1 ? time : t.second;
        t.best = i == 0 || time < t.best ? time : t.best;
    }
    return t;
}

/* Times an operation and prints its line.  Returns the best time in seconds.  If `expected` exceeds
 * `most`, runs nothing and returns `expected`. */
static double measure(const struct operation *o, unsigned long bits, double expected, double most) {
    if (expected > most) {
        printf("%-12s %11lu %12s - - -\n", o->name, bits, "-");
        return expected;
    }
    operations_prepare(o, bits);
    struct times t = time_runs(o->run);
    printf("%-12s %11lu %12.3f %016llx %.3f %.3f\n", o->name, bits, t.best * 1e3,
           (unsigned long long)hash_results(), t.first * 1e3, t.second * 1e3);
    fflush(stdout);
    forget_text();
    return t.best;
}

/* Returns true if the arguments name the operation or its group.  Arguments that begin with a digit
 * are sizes. */
static bool is_selected(const struct operation *o, char **arguments) {
    if (!*arguments || isdigit((unsigned char)**arguments))
        return strcmp(o->group, "composite") == 0;
    for (; *arguments && !isdigit((unsigned char)**arguments); arguments++)
        if (strcmp(*arguments, o->name) == 0 || strcmp(*arguments, o->group) == 0)
            return true;
    return false;
}

int main(int argc, char **argv) {
    double last[MOST_OPERATIONS] = {0}, before = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: operations MOST_SECONDS [NAME...] BITS...\n");
        return 2;
    }
    operations_begin();
    for (int i = 2; i < argc; i++) {
        double bits = atof(argv[i]), growth = before ? pow(bits / before, 1.1) : 1;
        for (int k = 0; bits > 0 && k < operation_count; k++)
            if (is_selected(&operations[k], argv + 2))
                last[k] =
                    measure(&operations[k], (unsigned long)bits, last[k] * growth, atof(argv[1]));
        before = bits;
    }
    operations_end();
    return 0;
}
