/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a floating-point transform is cut into passes. */
#include "lib/fft/fft_plan.h"

#include "kernels/fft/shape.h"

#define MOST_POINTS ((uint64_t)1 << 30)

/* What a pass costs beside one of 256 values, measured on an H200 (doc/measurements/fft.md): as one
 * of several; as the only one it costs as much as any.  Few columns of a work-group are short lines
 * of memory. */
static const struct {
    unsigned r;
    double cost;
} fast[] = {
    {16, 1.0},  {32, 1.0},  {64, 1.0},   {128, 1.0},  {192, 1.05}, {256, 1.0},
    {320, 1.1}, {512, 1.1}, {1024, 1.4}, {2048, 2.2}, {4096, 3.5},
};
#define FAST (sizeof fast / sizeof fast[0])

/* Of floats all of them, of doubles all but the last. */
static size_t fast_count(enum fft_precision precision) {
    return precision == FFT_FLOAT ? FAST : FAST - 1;
}

bool fft_pass_is_fast(enum fft_precision precision, unsigned r) {
    for (size_t i = 0; i < fast_count(precision); i++)
        if (fast[i].r == r)
            return true;
    return false;
}

/* A pass by kernels/fft/mixed.h. */
static double mixed_cost(unsigned r, bool alone) {
    return alone || r <= 128 ? 2.5 : 3.5;
}

/* Does a length have no prime factors but 2, 3 and 5? */
static bool is_smooth(uint64_t n) {
    static const unsigned primes[] = {2, 3, 5};
    for (int i = 0; i < 3; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* A search for the cheapest passes: those chosen so far, and the best of all. */
struct search {
    unsigned r[FFT_MAX_PASSES], best_r[FFT_MAX_PASSES];
    unsigned passes, best_passes;
    double cost, best;
    unsigned most; /* a pass is no longer than the one before it */
    uint64_t n;
    enum fft_precision precision;
    bool convolves;
};

static void go_on(struct search *f, uint64_t left);

static void try_pass(struct search *f, uint64_t left, unsigned r, double cost) {
    const unsigned most = f->most;
    /* Equal passes are better than unequal ones: the longest has the shortest lines. */
    const double before = f->cost, all = cost + r * 1e-6;
    if (r > most || before + all >= f->best || left % r)
        return;
    f->r[f->passes++] = f->most = r;
    f->cost = before + all;
    go_on(f, left / r);
    f->passes--;
    f->cost = before;
    f->most = most;
}

static void take_best(struct search *f) {
    f->best = f->cost;
    f->best_passes = f->passes;
    for (unsigned i = 0; i < f->passes; i++)
        f->best_r[i] = f->r[i];
}

static void go_on(struct search *f, uint64_t left) {
    if (left == 1)
        take_best(f);
    if (left == 1 || f->passes == FFT_MAX_PASSES)
        return;
    for (size_t i = fast_count(f->precision); i-- > 0;) {
        const unsigned r = fast[i].r;
        if (!f->convolves)
            try_pass(f, left, r, r == f->n ? 1 : fast[i].cost);
        else if (FFT_CONVOLVES(r) && r < f->n)
            try_pass(f, left, r, fast[i].cost);
    }
    for (unsigned r = f->convolves ? 0 : MIXED_MOST; r >= 2; r--)
        if (left % r == 0 && !fft_pass_is_fast(f->precision, r))
            try_pass(f, left, r, mixed_cost(r, r == f->n));
}

/* Fill in the passes. */
static bool find_passes(struct fft_plan *p, bool convolves) {
    struct search f = {.n = p->points, .precision = p->precision, .best = 1e9, .most = ~0u};
    f.convolves = convolves;
    if (p->points > MOST_POINTS || p->points == 0 || !is_smooth(p->points))
        return false;
    go_on(&f, p->points);
    p->passes = f.best_passes;
    for (unsigned i = 0; i < p->passes; i++)
        p->r[i] = f.best_r[i];
    return p->passes > 0;
}

bool fft_plan_init(struct fft_plan *p, enum fft_precision precision, bool is_real, uint64_t n) {
    bool halved = is_real && n % 2 == 0 && n > 2; /* no transform has one point */
    *p = (struct fft_plan){.precision = precision, .is_real = is_real, .n = n};
    p->points = halved ? n / 2 : n;
    return n >= 2 && n <= MOST_POINTS && find_passes(p, false);
}

bool fft_plan_convolution(struct fft_plan *p, uint64_t points) {
    *p = (struct fft_plan){.precision = FFT_DOUBLE, .n = points, .points = points};
    return find_passes(p, true);
}

struct fft_plan fft_plan_reversed(const struct fft_plan *p) {
    struct fft_plan back = *p;
    for (unsigned i = 0; i < p->passes; i++)
        back.r[i] = p->r[p->passes - 1 - i];
    return back;
}
