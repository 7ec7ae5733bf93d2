/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-bench: n-bit by n-bit products, GMP's beside the device's in one run. */
#include "lib/conf.h"
#include "lib/mul.h"
#include "lib/ntt.h"
#include "lib/stats.h"
#include "lib/transfer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS 31
#define BUDGET 0.5 /* seconds to spend on one figure, beyond its third run */

/* Operands and results of one size; the times of one figure. */
struct bench {
    size_t n; /* limbs of each operand */
    mp_limb_t *up, *vp, *rp, *right;
};

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of runs of f, in seconds; negative if one failed. */
static double median(int (*f)(struct bench *), struct bench *b) {
    double times[MAX_RUNS], spent = 0;
    int runs = 0;
    if (f(b))
        return -1;
    while (runs < MAX_RUNS && (runs < 3 || spent < BUDGET)) {
        double begin = stats_clock();
        if (f(b))
            return -1;
        spent += times[runs++] = stats_clock() - begin;
    }
    qsort(times, runs, sizeof *times, by_value);
    return times[runs / 2];
}

static int run_gmp(struct bench *b) {
    mpn_mul_n(b->right, b->up, b->vp, b->n);
    return 0;
}

/* Into memory that has been written before. */
static int run_host(struct bench *b) {
    return mpgpu_mul(b->rp, b->up, b->n, b->vp, b->n);
}

/* Into memory that malloc has just given, as a new mpz has it. */
static int run_fresh(struct bench *b) {
    mp_limb_t *rp = malloc(2 * b->n * sizeof *rp);
    int failed = !rp || mpgpu_mul(rp, b->up, b->n, b->vp, b->n);
    free(rp);
    return failed;
}

static int multiply_there(struct session *s, void *limbs) {
    const uint64_t words = *(size_t *)limbs * sizeof(mp_limb_t) / sizeof(uint32_t);
    struct ntt_plan plan;
    struct number u, v, r;
    int status = ntt_prepare(s, &plan, words, words);
    status = status ? status : number_in_slot(s, SLOT_U, words, &u);
    status = status ? status : number_in_slot(s, SLOT_V, words, &v);
    status = status ? status : number_in_slot(s, SLOT_R, 2 * words, &r);
    status = status ? status : ntt_mul(s, &plan, r, u, v);
    return status ? status : gpu_finish(&s->queue);
}

/* Operands and result on the device. */
static int run_kernels(struct bench *b) {
    return session_run(multiply_there, &b->n, sizeof b->n, b->n * sizeof(mp_limb_t)) != WHY_DONE;
}

static void *allocate(size_t limbs) {
    void *p = malloc(limbs * sizeof(mp_limb_t));
    if (!p) {
        fprintf(stderr, "mpgpu-bench: no memory for %zu limbs\n", limbs);
        exit(1);
    }
    return p;
}

static void fill(mp_limb_t *xp, size_t n, gmp_randstate_t random) {
    mpz_t x;
    mpz_init(x);
    mpz_urandomb(x, random, n * GMP_NUMB_BITS);
    for (size_t i = 0; i < n; i++)
        xp[i] = mpz_getlimbn(x, i);
    mpz_clear(x);
}

/* A figure in a column, "-" if it could not be measured. */
static void print_ms(double seconds) {
    if (seconds < 0)
        printf(" %12s", "-");
    else
        printf(" %12.4f", seconds * 1e3);
}

static void print_ratio(double gmp, double device) {
    if (device < 0)
        printf(" %8s", "-");
    else
        printf(" %8.2f", gmp / device);
}

/* One row; nonzero if the device's product is not GMP's. */
static int row(unsigned log_bits, gmp_randstate_t random) {
    size_t n = ((size_t)1 << log_bits) / GMP_NUMB_BITS;
    struct bench b = {n, allocate(n), allocate(n), allocate(2 * n), allocate(2 * n)};
    fill(b.up, n, random);
    fill(b.vp, n, random);
    memset(b.rp, 1, 2 * n * sizeof *b.rp);
    double gmp = median(run_gmp, &b), host = median(run_host, &b);
    int wrong = host >= 0 && memcmp(b.rp, b.right, 2 * n * sizeof *b.rp) != 0;
    double fresh = median(run_fresh, &b), kernels = median(run_kernels, &b);
    printf("2^%-4u", log_bits);
    print_ms(gmp);
    print_ms(host);
    print_ms(fresh);
    print_ms(kernels);
    print_ratio(gmp, host);
    print_ratio(gmp, kernels);
    printf("%s\n", wrong ? "  WRONG" : "");
    fflush(stdout);
    free(b.up), free(b.vp), free(b.rp), free(b.right);
    return wrong;
}

static void usage(FILE *to) {
    fprintf(to, "usage: mpgpu-bench [FROM [TO]]\n"
                "Multiply numbers of 2^FROM to 2^TO bits (14 to 26 if not given) with GMP and on\n"
                "the device that MPGPU_CONF names, in one run; times are medians.\n");
}

static int parse_log(const char *text, unsigned *log_bits) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 6 || value > 36) {
        fprintf(stderr, "mpgpu-bench: not a number from 6 to 36: %s\n", text);
        return 0;
    }
    *log_bits = (unsigned)value;
    return 1;
}

static int parse_arguments(int argc, char **argv, unsigned *from, unsigned *to) {
    if (argc > 3 || (argc > 1 && !parse_log(argv[1], from)) ||
        (argc > 2 && !parse_log(argv[2], to)))
        return 0;
    if (*from > *to)
        fprintf(stderr, "mpgpu-bench: FROM is greater than TO: %u > %u\n", *from, *to);
    return *from <= *to;
}

/* The whole table; nonzero if one of the device's products is not GMP's. */
static int table(unsigned from, unsigned to) {
    char device[256];
    gmp_randstate_t random;
    int wrong = 0;
    gmp_randinit_default(random);
    session_init();
    mpgpu_conf.open = OPEN_WAIT;
    session_wait();
    session_describe(device, sizeof device);
    printf("%s; GMP %s; times in ms\n", device, gmp_version);
    printf("%-6s %12s %12s %12s %12s %8s %8s\n", "bits", "GMP", "host", "host, fresh", "kernels",
           "GMP/host", "/kernels");
    for (unsigned log_bits = from; log_bits <= to; log_bits++)
        wrong |= row(log_bits, random);
    gmp_randclear(random);
    return wrong;
}

int main(int argc, char **argv) {
    unsigned from = 14, to = 26;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (!parse_arguments(argc, argv, &from, &to)) {
        usage(stderr);
        return 2;
    }
    return table(from, to);
}
