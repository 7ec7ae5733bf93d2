/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Measures one operation at one size: checks its results, times it, and prints messages. */
#include "tools/tune/tune.h"

#include <unistd.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf_key.h"
#include "lib/base/stats.h"
#include "lib/device/context.h"
#include "lib/gmp/real.h"
#include "lib/multiply/product.h"
#include "lib/session/session.h"

enum { SHORT = 4096 }; /* a run of GMP repeats an operation of n limbs SHORT / n times */
/* up to this many limbs, results are compared for operands of both kinds (enum timing_shape):
 * uniform bits, and long runs of ones and zeros */
enum { BOTH_SHAPES = 1 << 17 };

/* ---- selecting GMP or the device */

static void batch(struct work *w) {
    mpgpu_batch_mul_n(mpz_limbs_write(w->r, 2 * (mp_size_t)w->n), mpz_limbs_read(w->u),
                      mpz_limbs_read(w->v), WORK_BATCH_LIMBS, w->n / WORK_BATCH_LIMBS);
    mpz_limbs_finish(w->r, 2 * (mp_size_t)w->n);
}

/* Makes GMP compute everything, including its inner calls. */
static void use_no_device(void) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, MPGPU_NEVER);
}

/* Selects GMP or the device for the operation.  Products inside a composite operation use p's
 * thresholds; all other operations are computed by GMP. */
static void use(const struct work *w, const struct profile *p, int way) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++) {
        bool counts = w->operation->is_composite && !work_operations[i].is_composite;
        thresholds_set(i, counts ? profile_limbs(p, i) : MPGPU_NEVER);
    }
    thresholds_set(w->operation->threshold, way == TUNE_GMP ? MPGPU_NEVER : w->n);
    mpgpu_conf.algorithm = way == TUNE_GMP ? ALGORITHM_AUTO : way;
}

static void make_operands(struct work *w) {
    use_no_device();
    w->operation->prepare(w);
}

bool tune_open(struct work *w, const struct work_operation *operation, size_t n) {
    call_init(); /* sets `real` */
    work_batch = batch;
    use_no_device();
    return work_open(w, operation, n);
}

bool tune_check(struct work *w, const struct profile *p, const int *way, int ways, bool *can,
                bool *is_right) {
    struct work right;
    if (!tune_open(&right, w->operation, w->n))
        return false;
    *is_right = true;
    right.shape = w->shape, right.seed = w->seed;
    make_operands(&right);
    right.operation->run(&right);
    w->operation->prepare(w);
    for (int i = 0; i < ways && *is_right; i++) {
        if (way[i] == TUNE_GMP || !can[i])
            continue;
        unsigned long sent = call_sent();
        use(w, p, way[i]);
        w->operation->run(w);
        *is_right = work_is_same(w, &right);
        can[i] = call_sent() != sent;
    }
    work_close(&right);
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    return true;
}

/* The context of a timing_task: a "way" of computing the operation, which is an algorithm or
 * TUNE_GMP. */
struct turn {
    struct work *work;
    const struct profile *profile;
    int way, times;
};

static int prepare(void *context) {
    const struct turn *turn = context;
    make_operands(turn->work);
    use(turn->work, turn->profile, turn->way);
    return 0;
}

static int run(void *context) {
    const struct turn *turn = context;
    for (int i = 0; i < turn->times; i++)
        turn->work->operation->run(turn->work);
    return 0;
}

bool tune_time(struct work *w, const struct profile *p, const struct timing_budget *budget,
               const int *way, int ways, const bool *can, double *seconds) {
    struct turn turns[TUNE_MOST_OPTIONS];
    struct timing_task tasks[TUNE_MOST_OPTIONS];
    struct timing times[TUNE_MOST_OPTIONS];
    int count = 0;
    for (int i = 0; i < ways; i++) {
        bool is_short = way[i] == TUNE_GMP && w->n < SHORT && !w->operation->is_composite;
        turns[count] = (struct turn){w, p, way[i], is_short ? (int)(SHORT / w->n) : 1};
        tasks[count] = (struct timing_task){prepare, run, &turns[count], turns[count].times};
        count += can[i];
    }
    bool is_done = count == 0 || timing_measure(tasks, count, budget, times) == 0;
    for (int i = 0, k = 0; i < ways && is_done; i++)
        seconds[i] = can[i] ? times[k++].median : -1;
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    return is_done;
}

/* ---- messages */

/* Prints the progress on a terminal, in a line that the next call overwrites. */
static void show_progress(const char *name, size_t size) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %zu limbs", name, size);
}

void tuner_end_progress(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int fail_wrong(const struct work *w) {
    tuner_end_progress();
    fprintf(stderr, "mpgpu-tune: WRONG RESULT: %s of %zu limbs is not GMP's; nothing is written\n",
            w->operation->what, w->n);
    return 1;
}

static int fail_device(void) {
    char text[512];
    tuner_end_progress();
    session_describe(text, sizeof text);
    fprintf(stderr, "mpgpu-tune: the device has failed (%s); nothing is written\n", text);
    return 1;
}

static int fail_memory(size_t size) {
    tuner_end_progress();
    fprintf(stderr, "mpgpu-tune: no memory for operands of %zu limbs\n", size);
    return 1;
}

/* ---- one size */

static bool stops(struct tuner *t) {
    t->is_stopped |= t->until > 0 && stats_clock() >= t->until;
    return t->is_stopped;
}

/* Compares the results of all supported ways (algorithms, or GMP) with GMP's, for operands with
 * long runs of ones and zeros and for uniform operands.  Then times these ways. */
static int measure(struct tuner *t, struct work *w, const int *way, int ways, bool *can,
                   double *seconds) {
    bool is_right;
    for (w->shape = TIMING_RUNS;; w->shape = TIMING_RANDOM) {
        if (!tune_check(w, &t->profile, way, ways, can, &is_right))
            return fail_memory(w->n);
        if (!is_right)
            return fail_wrong(w);
        if (session_ready() != OUTCOME_DONE)
            return fail_device();
        if (w->shape == TIMING_RANDOM || w->n > BOTH_SHAPES)
            break;
    }
    w->shape = TIMING_RANDOM;
    return tune_time(w, &t->profile, &t->budget, way, ways, can, seconds) ? 0 : fail_memory(w->n);
}

/* Times an operation at point->size by all supported ways (algorithms, or GMP).  Sets -1 for the
 * other ways. */
static int time_ways(struct tuner *t, const struct work_operation *operation, const char *name,
                     const int *way, int ways, bool *can, struct tune_point *point) {
    struct work w;
    if (stops(t))
        return 1;
    show_progress(name, point->size);
    if (!tune_open(&w, operation, point->size))
        return fail_memory(point->size);
    int status = measure(t, &w, way, ways, can, point->seconds);
    work_close(&w);
    for (int i = 0; i < ways && t->options.verbose && status == 0; i++) {
        char text[16] = "GMP";
        if (way[i] != TUNE_GMP)
            conf_key_word_at(conf_keys[CONF_KEY_algorithm].words, way[i], text, sizeof text);
        tuner_end_progress();
        if (point->seconds[i] >= 0)
            printf("%s: %zu limbs: %s %.4f ms\n", name, point->size, text, point->seconds[i] * 1e3);
    }
    return status;
}

int tuner_time_operation(void *context, struct tune_point *point) {
    static const int way[] = {TUNE_GMP, ALGORITHM_AUTO};
    struct tuner *t = context;
    bool can[] = {true, true};
    return time_ways(t, t->operation, t->operation->name, way, 2, can, point);
}

int tuner_time_algorithms(void *context, struct tune_point *point) {
    struct tuner *t = context;
    const bool is_modular = t->choice != PROFILE_PRODUCTS;
    const struct work_operation *operation =
        &work_operations[is_modular ? PROFILE_mulmod : PROFILE_mul];
    int way[ALGORITHMS];
    bool can[ALGORITHMS];
    struct work w;
    if (t->choice == PROFILE_OTHER_MODULAR && (point->size & (point->size - 1)) == 0)
        point->size += point->size / 4;         /* measures a size that is no power of two */
    if (!tune_open(&w, operation, point->size)) /* rounds the size up to one that GMP supports */
        return fail_memory(point->size);
    for (int i = 0; i < ALGORITHMS; i++) {
        way[i] = i;
        can[i] = (i != ALGORITHM_FFT || t->has_doubles) && product_serves(i, 2 * w.n, 2 * w.n);
    }
    work_close(&w);
    return time_ways(t, operation, profile_choice_names[t->choice], way, ALGORITHMS, can, point);
}

/* ---- GMP's own times by size, for the later choice between GMP and the device */

/* Sizes in limbs.  Each size is twice the one before it up to DENSE, and four times above DENSE. */
enum { LEAST = 64, DENSE = 4096, MOST = 1 << 20, MOST_QUICK = 1 << 13 };

/* In seconds.  The measurement ends with the first size whose call takes this long; LONG_QUICK
 * applies to quick runs. */
static const double LONG = 0.3, LONG_QUICK = 0.01;

static void cost_mul(struct work *w) {
    real.mpz_mul(w->r, w->u, w->v);
}

static void cost_sqr(struct work *w) {
    real.mpz_mul(w->r, w->u, w->u);
}

static void cost_div(struct work *w) {
    real.mpz_tdiv_q(w->r, w->u, w->v);
}

/* In the order of enum profile_costs: the operation whose operands are used, and the function to
 * time. */
static const struct {
    enum profile_threshold operands;
    void (*run)(struct work *w);
} costs[PROFILE_COSTS] = {
    {PROFILE_mul, cost_mul}, {PROFILE_sqr, cost_sqr}, {PROFILE_div, cost_div}};

static int time_cost(struct tuner *t, int which, size_t limbs, double *seconds) {
    static const int way = TUNE_GMP;
    struct work w;
    struct work_operation operation = work_operations[costs[which].operands];
    operation.run = costs[which].run;
    /* cleared, because runs of composite operations do not repeat short calls */
    operation.is_composite = false;
    if (!tune_open(&w, &operation, limbs))
        return fail_memory(limbs);
    bool is_done = tune_time(&w, &t->profile, &t->budget, &way, 1, &(bool){true}, seconds);
    work_close(&w);
    return is_done ? 0 : fail_memory(limbs);
}

static int find_cost(struct tuner *t, int which) {
    struct profile_cost *c = &t->profile.cost[which];
    size_t most = t->options.quick ? MOST_QUICK : MOST;
    double seconds = 0, longest = t->options.quick ? LONG_QUICK : LONG;
    c->steps = 0;
    for (size_t n = LEAST; n <= most && seconds < longest && c->steps < PROFILE_MOST_STEPS;
         n *= n < DENSE ? 2 : 4) {
        show_progress(profile_cost_names[which], n);
        int status = stops(t) ? 1 : time_cost(t, which, n, &seconds);
        if (status)
            return status;
        uint64_t ns = (uint64_t)(seconds * 1e9 + 0.5);
        c->step[c->steps++] = (struct profile_cost_step){n, ns > 0 ? ns : 1};
        if (t->options.verbose) {
            tuner_end_progress();
            printf("%s: %zu limbs: %.4f ms\n", profile_cost_names[which], n, seconds * 1e3);
        }
    }
    return 0;
}

int tuner_find_costs(struct tuner *t) {
    int status = 0;
    for (int which = 0; which < PROFILE_COSTS && status == 0; which++)
        status = find_cost(t, which);
    return status;
}
