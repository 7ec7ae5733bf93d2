/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The values of a profile, one after the other: algorithms first, then what products decide,
 * and at last the whole operations that are built from them. */
#include <stdio.h> /* before gmp.h */

#include "tune_measure.h"

#include <string.h>
#include <unistd.h>

#include "lib/conf.h"
#include "lib/conf_key.h"
#include "lib/product.h"
#include "lib/session.h"

/* A device has to be sooner by this share, since its work is not all that a call costs: other
 * programs want it too. An algorithm by this one. */
static const double MARGIN = 0.04, CHANGE = 0.03;

static const struct tune_range range = {32, (size_t)1 << 24, 0.3, 8};
static const struct tune_range quick = {32, (size_t)1 << 20, 0.01, 3};

static const struct timing_budget budget = {.seconds = 0.02, .warm = 2, .least = 3, .most = 101};
static const struct timing_budget quick_budget = {
    .seconds = 0.002, .warm = 1, .least = 5, .most = 15};

/* ---- messages */

/* On a terminal, in one line, which the next overwrites. */
static void show_progress(const char *name, size_t size) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %zu limbs", name, size);
}

static void end_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int fail_wrong(const char *name, size_t size) {
    end_progress();
    fprintf(stderr, "mpgpu-tune: WRONG RESULT: %s of %zu limbs is not GMP's; nothing is written\n",
            name, size);
    return 1;
}

static int fail_device(void) {
    char text[512];
    end_progress();
    session_describe(text, sizeof text);
    fprintf(stderr, "mpgpu-tune: the device has failed (%s); nothing is written\n", text);
    return 1;
}

static int fail_memory(size_t size) {
    end_progress();
    fprintf(stderr, "mpgpu-tune: no memory for operands of %zu limbs\n", size);
    return 1;
}

/* ---- one size */

/* Is the device right, and does it do it?  Operands of either shape; the failing one is told. */
static int check(struct tune_work *w, const struct profile *p, int *can) {
    *can = 1;
    for (w->shape = TIMING_RUNS;; w->shape = TIMING_RANDOM) {
        enum tune_result result = tune_check(w, p);
        if (result == TUNE_WRONG)
            return fail_wrong(w->operation->what, w->n);
        if (session_ready() != WHY_DONE)
            return fail_device();
        *can &= result == TUNE_RIGHT;
        if (w->shape == TIMING_RANDOM)
            return 0;
    }
}

/* By GMP and by the device. */
static int time_both(struct tuner *t, const struct tune_operation *operation, size_t size,
                     double *gmp, double *device) {
    struct tune_work w;
    int can, status = 0;
    show_progress(operation->name, size);
    if (!tune_work_open(&w, operation, size))
        return fail_memory(size);
    status = check(&w, &t->profile, &can);
    if (status == 0 && !tune_time(&w, &t->profile, &t->budget, gmp, device))
        status = fail_memory(size);
    if (!can)
        *device = -1;
    tune_work_close(&w);
    return status;
}

static int time_operation(void *context, struct tune_point *point) {
    struct tuner *t = context;
    int status = time_both(t, t->operation, point->size, &point->seconds[0], &point->seconds[1]);
    if (status == 0 && t->options.verbose) {
        end_progress();
        printf("%s: %zu limbs: GMP %.4f ms, device ", t->operation->name, point->size,
               point->seconds[0] * 1e3);
        if (point->seconds[1] < 0)
            puts("does not do it");
        else
            printf("%.4f ms\n", point->seconds[1] * 1e3);
    }
    return status;
}

static void algorithm_name(int algorithm, char *text, size_t size) {
    conf_word_at(conf_keys[CONF_KEY_algorithm].words, algorithm, text, size);
}

/* Products by each algorithm; option i is algorithm i, but ALGORITHM_AUTO, which cannot. */
static int time_algorithms(void *context, struct tune_point *point) {
    struct tuner *t = context;
    char name[16];
    int status = 0;
    for (int i = 0; i < ALGORITHMS && status == 0; i++) {
        double gmp;
        point->seconds[i] = -1;
        if (!product_serves(i, 2 * point->size, 2 * point->size))
            continue;
        mpgpu_conf.algorithm = i;
        status = time_both(t, &tune_operations[PROFILE_mul], point->size, &gmp, &point->seconds[i]);
        algorithm_name(i, name, sizeof name);
        if (status == 0 && t->options.verbose) {
            end_progress();
            printf("%s: %zu limbs: %.4f ms\n", name, point->size, point->seconds[i] * 1e3);
        }
    }
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    return status;
}

/* ---- one value */

static int find_algorithms(struct tuner *t, const struct tune_range *r) {
    static struct tune_curve curve;
    struct profile *p = &t->profile;
    int status =
        tune_choices(r, ALGORITHMS, CHANGE, time_algorithms, t, &curve, p->step, &p->steps);
    session_use_profile(p);
    return status;
}

/* A size as so many tenths of the threshold that it goes by; never, where that is. */
static size_t tenths_of(const struct profile *p, enum profile_threshold which, size_t limbs) {
    struct profile tenfold = *p;
    tenfold.value[which] = 10;
    size_t of = profile_limbs(&tenfold, which);
    if (limbs == MPGPU_NEVER || of == MPGPU_NEVER)
        return MPGPU_NEVER;
    return (10 * limbs + of - 1) / of;
}

static int find_threshold(struct tuner *t, const struct tune_range *r, int which) {
    static struct tune_curve curve;
    struct tune_finding *f = &t->finding[which];
    const char *why;
    t->operation = &tune_operations[which];
    int status = tune_threshold(r, MARGIN, time_operation, t, &curve, &f->limbs, &why);
    if (status)
        return status;
    f->is_done = 1;
    f->largest = curve.point[curve.points - 1].size;
    t->profile.value[which] =
        t->operation->is_whole ? tenths_of(&t->profile, which, f->limbs) : f->limbs;
    if (t->options.verbose)
        printf("%s: the way up ended at %zu limbs: %s\n", t->operation->name, f->largest, why);
    return 0;
}

/* Where products stay with GMP, so does what is built from them: there is nothing to find. */
static int is_worth_it(const struct tuner *t, int which) {
    return !tune_operations[which].is_whole || t->profile.value[PROFILE_mul] != MPGPU_NEVER;
}

int tuner_find(struct tuner *t) {
    const struct tune_range *r = t->options.quick ? &quick : &range;
    t->budget = t->options.quick ? quick_budget : budget;
    session_use_profile(&t->profile);
    int status = find_algorithms(t, r);
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++)
        if (is_worth_it(t, i))
            status = find_threshold(t, r, i);
    end_progress();
    return status;
}

/* ---- again */

/* What is meant to be faster above a size and slower below it, by how much it is. */
struct sides {
    size_t below, above;
    double slower, faster; /* times */
};

static const double HOLDS = 1.15; /* so far off is no error yet */

static void print_sides(struct tuner *t, const char *name, const char *value,
                        const struct sides *s) {
    int holds = s->slower <= HOLDS && s->faster * HOLDS >= 1;
    t->unsteady += !holds;
    printf("%-10s %-14s %9.2f at %-9zu %9.2f at %-9zu %s\n", name, value, s->slower, s->below,
           s->faster, s->above, holds ? "holds" : "UNSTEADY");
}

/* How many times b is faster than a.  What cannot be done is as slow as can be; what alone can
 * be done is no slower. */
static double faster(double a, double b) {
    return b < 0 ? 0 : a < 0 ? 1 : a / b;
}

static struct sides sides_of(size_t limbs) {
    return (struct sides){.below = limbs - limbs / 3, .above = limbs + limbs / 2};
}

static int verify_threshold(struct tuner *t, int which) {
    const struct tune_operation *operation = &tune_operations[which];
    size_t limbs = profile_limbs(&t->profile, which);
    struct sides s = sides_of(limbs);
    double gmp = 0, device = 1;
    char value[32];
    int status = time_both(t, operation, s.below, &gmp, &device);
    s.slower = faster(gmp, device);
    if (status == 0)
        status = time_both(t, operation, s.above, &gmp, &device);
    s.faster = faster(gmp, device);
    end_progress();
    snprintf(value, sizeof value, "%zu limbs", limbs);
    if (status == 0)
        print_sides(t, operation->name, value, &s);
    return status;
}

static int verify_step(struct tuner *t, const struct profile_step *step) {
    struct sides s = sides_of(step->limbs);
    struct tune_point below = {.size = s.below}, above = {.size = s.above};
    char name[16], value[48];
    int before = step[-1].algorithm, after = step->algorithm;
    int status = time_algorithms(t, &below);
    status = status ? status : time_algorithms(t, &above);
    end_progress();
    s.slower = faster(below.seconds[before], below.seconds[after]);
    s.faster = faster(above.seconds[before], above.seconds[after]);
    algorithm_name(after, name, sizeof name);
    snprintf(value, sizeof value, "%zu limbs", step->limbs);
    if (status == 0)
        print_sides(t, name, value, &s);
    return status;
}

static void print_never(const struct tuner *t, int which) {
    printf("%-10s %-14s up to %zu limbs\n", tune_operations[which].name, "never",
           t->finding[which].largest);
}

int tuner_verify(struct tuner *t) {
    int status = 0;
    t->budget.least = 2 * t->budget.least + 1;
    printf("%-10s %-14s %22s %22s\n", "", "from", "below: times faster", "above: times faster");
    for (int i = 1; i < t->profile.steps && status == 0; i++)
        status = verify_step(t, &t->profile.step[i]);
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++) {
        if (t->finding[i].is_done && profile_limbs(&t->profile, i) == MPGPU_NEVER)
            print_never(t, i);
        else if (t->finding[i].is_done)
            status = verify_threshold(t, i);
    }
    if (t->unsteady)
        fprintf(stderr, "mpgpu-tune: %d of these do not hold: has the machine other work?\n",
                t->unsteady);
    return status;
}
