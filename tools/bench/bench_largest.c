/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One huge product, its result at most as long as an mpz can be, checked by residues modulo primes
 * of a word. */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/random.h"
#include "lib/device/tables.h"
#include "lib/base/stats.h"
#include "tools/bench/bench_modes.h"
#include "tools/timing.h"

enum { MOST_WORKERS = 8, PRIMES = 2 };
static const size_t most_limbs = INT32_MAX; /* of an mpz */

/* What each thread does to its part of {xp, n}. */
struct part {
    pthread_t thread;
    mp_limb_t *xp;
    size_t n, at;
    uint64_t seed;
    mp_limb_t modulus, residue;
};

static void *fill(void *argument) {
    struct part *p = argument;
    timing_operand(p->xp + p->at, p->n, TIMING_RANDOM, &p->seed);
    return NULL;
}

/* Of the part at its place: its limbs times B^at. */
static void *reduce(void *argument) {
    struct part *p = argument;
    mpz_t base, m;
    mpz_init_set_ui(m, p->modulus);
    mpz_init_set_ui(base, 1);
    mpz_mul_2exp(base, base, GMP_NUMB_BITS);
    mpz_powm_ui(base, base, p->at, m);
    mpz_mul_ui(base, base, mpn_mod_1(p->xp + p->at, (mp_size_t)p->n, p->modulus));
    p->residue = mpz_fdiv_ui(base, p->modulus);
    mpz_clear(base);
    mpz_clear(m);
    return NULL;
}

/* The threads' parts of {xp, n}, in work; returns how many. */
static int in_parts(void *(*work)(void *), mp_limb_t *xp, size_t n, mp_limb_t modulus,
                    struct part parts[MOST_WORKERS]) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cpus < 1 ? 1 : cpus > MOST_WORKERS ? MOST_WORKERS : (size_t)cpus;
    if (n < 1000)
        count = 1;
    for (size_t i = 0; i < count; i++) {
        size_t at = n / count * i, end = i + 1 == count ? n : at + n / count;
        parts[i] = (struct part){.xp = xp, .n = end - at, .at = at, .modulus = modulus};
        parts[i].seed = random_modulus();
        if (pthread_create(&parts[i].thread, NULL, work, &parts[i]) != 0) {
            perror("mpgpu-bench: no thread");
            exit(2);
        }
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(parts[i].thread, NULL);
    return (int)count;
}

static void fill_in_parts(mp_limb_t *xp, size_t n) {
    struct part parts[MOST_WORKERS];
    in_parts(fill, xp, n, 0, parts);
}

static void residue_in_parts(mpz_t r, mp_limb_t *xp, size_t n, mp_limb_t prime) {
    struct part parts[MOST_WORKERS];
    int count = in_parts(reduce, xp, n, prime, parts);
    mpz_set_ui(r, 0);
    for (int i = 0; i < count; i++)
        mpz_add_ui(r, r, parts[i].residue);
    mpz_fdiv_r_ui(r, r, prime);
}

static bool is_right_modulo(const struct bench_work *w, mp_limb_t prime) {
    mpz_t u, v, r;
    mpz_inits(u, v, r, NULL);
    residue_in_parts(u, w->up, w->un, prime);
    residue_in_parts(v, w->vp, w->vn, prime);
    residue_in_parts(r, w->rp, w->rn, prime);
    mpz_mul(u, u, v);
    mpz_fdiv_r_ui(u, u, prime);
    bool is_right = mpz_cmp(u, r) == 0;
    printf("modulo %llu: %s\n", (unsigned long long)prime, is_right ? "right" : "WRONG");
    mpz_clears(u, v, r, NULL);
    return is_right;
}

/* The result's memory is not touched: malloc has just returned it. */
static bool open_work(struct bench_work *w, const struct bench_shape *shape,
                      const struct bench_memory *memory, uint64_t bits) {
    *w = (struct bench_work){.operation = shape->operation, .memory = memory};
    bench_work_size(w, bits, shape->ratio);
    if (w->rn == most_limbs + 1 && !shape->operation->is_square)
        w->vn--, w->rn--;
    if (w->rn > most_limbs) {
        fprintf(stderr, "mpgpu-bench: longer than an mpz can be: %zu limbs\n", w->rn);
        return false;
    }
    double bytes = 8.0 * (double)(w->un + w->vn + w->rn);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    printf("%zu by %zu limbs, %.1f GiB of host memory\n", w->un, w->vn, bytes / (1 << 30));
    if (bytes > 0.9 * there) {
        fprintf(stderr, "mpgpu-bench: this machine has %.1f GiB of memory, too little\n",
                there / (1 << 30));
        return false;
    }
    w->up = memory->allocate(w->un * sizeof *w->up);
    w->vp = shape->operation->is_square ? w->up : memory->allocate(w->vn * sizeof *w->vp);
    w->rp = memory->allocate(w->rn * sizeof *w->rp);
    if (!w->up || !w->vp || !w->rp)
        fprintf(stderr, "mpgpu-bench: no memory\n");
    return w->up && w->vp && w->rp;
}

/* Seconds of the product; negative if it failed. */
static double multiply(struct bench_work *w, const char *name, const struct bench_shape *shape,
                       struct bench_report *report) {
    double start = stats_clock();
    int failed = w->operation->library(w);
    double seconds = failed ? -1 : stats_clock() - start;
    struct bench_figure figure = {{seconds, seconds, seconds, 1},
                                  failed ? BENCH_FAILED : BENCH_RIGHT};
    if (failed)
        printf("%s: FAILED\n", name);
    else
        printf("%s: %.3f s, %.1f GB/s of operands and result\n", name, seconds,
               8e-9 * (double)(w->un + w->vn + w->rn) / seconds);
    fflush(stdout);
    for (int i = 0; i < PRIMES && figure.state == BENCH_RIGHT; i++)
        if (!is_right_modulo(w, tables_random_prime()))
            figure.state = BENCH_WRONG;
    bench_report_time(report, shape->name, w, name, &figure);
    return figure.state == BENCH_RIGHT ? seconds : -1;
}

static int largest(const struct bench_shape *shape, const struct bench_memory *memory,
                   uint64_t bits, struct bench_report *report) {
    struct bench_work w;
    int status = 3;
    if (open_work(&w, shape, memory, bits)) {
        double start = stats_clock();
        fill_in_parts(w.up, w.un);
        if (w.vp != w.up)
            fill_in_parts(w.vp, w.vn);
        printf("operands made in %.1f s\n", stats_clock() - start);
        status = multiply(&w, "fresh", shape, report) < 0 ||
                 multiply(&w, memory->name, shape, report) < 0;
    }
    bench_work_close(&w);
    return status;
}

int bench_largest(const struct bench_options *options, struct bench_report *report) {
    int status = 0;
    for (int i = 0; i < options->shape_count && status == 0; i++) {
        const struct bench_shape *shape = &options->shapes[i];
        if (shape->operation->kind != BENCH_PRODUCT) {
            fprintf(stderr, "mpgpu-bench: largest is for products: %s\n", shape->name);
            return 2;
        }
        for (int k = 0; k < options->sizes && status == 0; k++)
            status =
                largest(shape, bench_column_memory(options->columns[0]), options->bits[k], report);
    }
    return status;
}
