/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Splits a floating-point transform into passes. */
#include "lib/fft/fft_plan.h"

#include "kernels/fft/shape.h"

#define MOST_POINTS ((uint64_t)1 << 30)

/* The cost of one of several passes, relative to a pass of 256 values, measured on an H200
 * (doc/measurements/fft.md).  A single pass costs the same for all lengths.  A work-group with few
 * columns reads short lines of memory. */
static const struct {
    unsigned r;
    double cost;
} fast[] = {
    {16, 1.0},  {32, 1.0},  {64, 1.0},   {128, 1.0},  {192, 1.05}, {256, 1.0},
    {320, 1.1}, {512, 1.1}, {1024, 1.4}, {2048, 2.2}, {4096, 3.5},
};
#define FAST (sizeof fast / sizeof fast[0])

/* Returns how many entries of the table `fast` have a program: all for floats, all but the last for
 * doubles. */
static size_t fast_count(enum fft_precision precision) {
    return precision == FFT_FLOAT ? FAST : FAST - 1;
}

bool fft_pass_is_fast(enum fft_precision precision, unsigned r) {
    for (size_t i = 0; i < fast_count(precision); i++)
        if (fast[i].r == r)
            return true;
    return false;
}

/* Returns the cost of a pass of length r that kernels/fft/mixed.h computes. `alone` means that the
 * plan has no other pass. */
static double mixed_cost(unsigned r, bool alone) {
    return alone || r <= 128 ? 2.5 : 3.5;
}

/* Returns true if n has no prime factors but 2, 3 and 5. */
static bool is_smooth(uint64_t n) {
    static const unsigned primes[] = {2, 3, 5};
    for (int i = 0; i < 3; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

/* The passes that a plan may use, which divide its length, longest first. */
enum { MOST_CANDIDATES = 128 };
struct candidates {
    struct {
        unsigned r;
        double cost;
    } pass[MOST_CANDIDATES];
    unsigned count;
};

static void add(struct candidates *c, uint64_t n, unsigned r, double cost) {
    /* The sum of the terms r * 1e-6 is least if all passes have the same length r. This is
     * preferred because long passes are slower: their work-groups have fewer columns, and read
     * shorter lines of memory. */
    if (n % r == 0 && c->count < MOST_CANDIDATES) {
        c->pass[c->count].r = r;
        c->pass[c->count++].cost = cost + r * 1e-6;
    }
}

/* Collects the passes that have programs of their own; for convolutions, only the programs for
 * convolutions.  Otherwise also collects passes of lengths up to MIXED_MOST, which
 * kernels/fft/mixed.h computes. */
static void collect(struct candidates *c, const struct fft_plan *p, bool convolves) {
    const uint64_t n = p->points;
    size_t next = fast_count(p->precision);
    c->count = 0;
    for (unsigned r = fast[next - 1].r; r >= 2; r--) {
        if (next > 0 && fast[next - 1].r == r) {
            next--;
            if (!convolves || (FFT_CONVOLVES(r) && r < n))
                add(c, n, r, r == n ? 1 : fast[next].cost);
        } else if (convolves) {
            r = next > 0 ? fast[next - 1].r + 1 : 2;
        } else if (r <= MIXED_MOST) {
            add(c, n, r, mixed_cost(r, r == n));
        }
    }
}

/* A search for the cheapest passes: the current choice, and the best one so far. */
struct search {
    struct candidates candidates;
    unsigned r[FFT_MAX_PASSES], best_r[FFT_MAX_PASSES];
    unsigned passes, best_passes;
    double cost, best;
};

static void take_best(struct search *f) {
    f->best = f->cost;
    f->best_passes = f->passes;
    for (unsigned i = 0; i < f->passes; i++)
        f->best_r[i] = f->r[i];
}

/* Returns a lower bound for the cost of the passes that transform `left` values, since each pass
 * costs at least 1. */
static double least_cost(uint64_t left) {
    return left == 1 ? 0 : left <= 4096 ? 1 : left <= 4096 * 4096 ? 2 : 3;
}

/* Chooses passes for `left` values among the candidates from `first` on. */
static void go_on(struct search *f, uint64_t left, unsigned first) {
    const double before = f->cost;
    if (left == 1)
        take_best(f);
    if (left == 1 || f->passes == FFT_MAX_PASSES)
        return;
    for (unsigned i = first; i < f->candidates.count; i++) {
        const unsigned r = f->candidates.pass[i].r;
        f->cost = before + f->candidates.pass[i].cost;
        if (r > left || f->cost + least_cost(left / r) >= f->best || left % r)
            continue;
        f->r[f->passes++] = r;
        go_on(f, left / r, i);
        f->passes--;
    }
    f->cost = before;
}

/* Finds the passes of the plan. */
static bool find_passes(struct fft_plan *p, bool convolves) {
    struct search f = {.best = 1e9};
    if (p->points > MOST_POINTS || p->points == 0 || !is_smooth(p->points))
        return false;
    collect(&f.candidates, p, convolves);
    go_on(&f, p->points, 0);
    p->passes = f.best_passes;
    for (unsigned i = 0; i < p->passes; i++)
        p->r[i] = f.best_r[i];
    return p->passes > 0;
}

bool fft_plan_init(struct fft_plan *p, enum fft_precision precision, bool is_real, uint64_t n) {
    bool halved = is_real && n % 2 == 0 && n > 2; /* a transform has at least two points */
    *p = (struct fft_plan){.precision = precision, .is_real = is_real, .n = n};
    p->points = halved ? n / 2 : n;
    return n >= 2 && n <= MOST_POINTS && find_passes(p, false);
}

bool fft_plan_convolution(struct fft_plan *p, uint64_t points) {
    *p = (struct fft_plan){.precision = FFT_DOUBLE, .n = points, .points = points};
    if (!find_passes(p, true))
        return false;
    /* A work-item of a pass of length 320 has more values, so fewer work-groups run at once
     * (kernels/fft/shape.h). The first pass of a product also cuts the operand into digits: so
     * another pass goes first if possible. */
    if (p->passes > 2 && p->r[0] % 5 == 0 && p->r[1] % 5 != 0) {
        const unsigned first = p->r[0];
        p->r[0] = p->r[1], p->r[1] = first;
    }
    return true;
}

struct fft_plan fft_plan_reversed(const struct fft_plan *p) {
    struct fft_plan back = *p;
    for (unsigned i = 0; i < p->passes; i++)
        back.r[i] = p->r[p->passes - 1 - i];
    return back;
}
