/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Predicts, on a machine with one device, the time of two for a product or a composite operation.
 * Two devices made of it (tests/support/twin_backend.h) do the operation in turns: in each step one
 * works alone, then the other, and of each step the longer one counts.  A step of a product is one
 * of lib/operate/shares/; that of a composite operation ends at a meeting (lib/calc/calc_pair.h).
 * So no link and no kernel is shared, as if there were two.  Copies between the two stay on the
 * device, and take as long as over a link of LINK bytes a second.
 *
 * A line for each operation and size: milliseconds of one device, and of two by that sum; their
 * ratio; the sums of either's own steps; the gigabytes that the first copies; the number of steps,
 * and the events of one device and of the first of two, for which host or queues wait; whether the
 * results agree.  A product's time contains what threads take that wait for two devices between
 * steps, and its steps have lines of their own before.  A line for each kernel follows, timed by
 * itself: how often, and milliseconds in all, of one device, of the first of two and of the second.
 *
 * Usage: pair [--malloc] BITS..., with further options in MPGPU_CONF.  Operands and results are in
 * the pool, or in malloc's memory.  The best of a few runs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/algorithms/divide.h"
#include "lib/algorithms/powm.h"
#include "lib/algorithms/root.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/calc/calc.h"
#include "lib/calc/calc_pair.h"
#include "lib/memory/pool.h"
#include "lib/job/limbs.h"
#include "lib/operate/shares/product_shares.h"
#include "lib/operate/shares/product_steps.h"
#include "lib/process/executor.h"
#include "lib/process/thread_pool.h"
#include "lib/session/session_device.h"
#include "compat/intercept/call.h"
#include "tests/performance/pair_clock.h"
#include "tests/support/twin_backend.h"

enum { RUNS = 5, MOST_STEPS = 1 << 14, HAND_OVERS = 20 };
static const double LINK = 392e9; /* doc/measurements/devices.md */

/* ---- turns */

bool __real_calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                           struct calc_offer *other);
bool __wrap_calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                           struct calc_offer *other);
enum gpu_status __real_calc_run_half(struct context *s,
                                     void (*work)(struct calc *c, void *argument), void *argument,
                                     struct calc_pair *pair, unsigned half, enum calc_end *end);
enum gpu_status __wrap_calc_run_half(struct context *s,
                                     void (*work)(struct calc *c, void *argument), void *argument,
                                     struct calc_pair *pair, unsigned half, enum calc_end *end);

bool __real_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job);
bool __wrap_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job);

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int count;
    double since, step[MOST_STEPS];
} half[CALC_HALVES];
static double first, last; /* when steps began and ended */

static void begin_step(unsigned i) {
    pthread_mutex_lock(&turn);
    half[i].since = stats_clock();
    first = first == 0 ? half[i].since : first;
}

static void end_step(unsigned i) {
    last = stats_clock();
    half[i].step[half[i].count++ % MOST_STEPS] = last - half[i].since;
    pthread_mutex_unlock(&turn);
}

bool __wrap_calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                           struct calc_offer *other) {
    end_step(i);
    bool is_there = __real_calc_pair_meet(p, i, mine, other);
    begin_step(i);
    return is_there;
}

enum gpu_status __wrap_calc_run_half(struct context *s,
                                     void (*work)(struct calc *c, void *argument), void *argument,
                                     struct calc_pair *pair, unsigned i, enum calc_end *end) {
    begin_step(i);
    enum gpu_status status = __real_calc_run_half(s, work, argument, pair, i, end);
    end_step(i);
    return status;
}

/* The steps of a product.  Halves of a composite operation run at the same time, and meet. */
static bool is_product;

bool __wrap_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    if (!is_product)
        return __real_thread_pool_try(count, work, job);
    for (unsigned i = 0; i < count; i++) {
        begin_step(i);
        work(job, i);
        end_step(i);
    }
    return true;
}

static double sum_of(unsigned i) {
    double sum = 0;
    for (int k = 0; k < half[i].count && k < MOST_STEPS; k++)
        sum += half[i].step[k];
    return sum;
}

static double longer(int k) {
    return half[0].step[k] > half[1].step[k] ? half[0].step[k] : half[1].step[k];
}

static double sum_of_longer(void) {
    double sum = 0;
    for (int k = 0; k < half[0].count && k < MOST_STEPS; k++)
        sum += longer(k);
    return sum;
}

/* ---- what threads take that wait for two devices between the steps of a product */

static enum gpu_status spin(struct context *s, void *seconds) {
    double end = stats_clock() + *(double *)seconds;
    (void)s;
    while (stats_clock() < end)
        continue;
    return GPU_OK;
}

static void run_spin(void *seconds, unsigned i) {
    double copy = *(double *)seconds;
    int bound = session_bind((int)i);
    unsigned times = executor_spin_times(PRODUCT_SPIN_TIMES);
    session_run(spin, &copy, sizeof copy, 1);
    executor_spin_times(times);
    session_bind(bound);
}

static double hand_over(double seconds) {
    double begin = stats_clock();
    for (int i = 0; i < HAND_OVERS; i++)
        __real_thread_pool_try(CALC_HALVES, run_spin, &seconds);
    return (stats_clock() - begin) / HAND_OVERS - seconds;
}

static double print_product_steps(void) {
    double sum = 0;
    for (int k = 0; k < half[0].count && k < MOST_STEPS; k++) {
        double lost = hand_over(longer(k));
        printf("  step %d: %8.3f %8.3f, handed over in %.3f\n", k + 1, 1e3 * half[0].step[k],
               1e3 * half[1].step[k], 1e3 * lost);
        sum += lost;
    }
    return sum;
}

/* ---- operations */

static mp_limb_t *a, *b, *q, *r, *right_q, *right_r; /* of twice the limbs of the size */
static size_t n;
static void *(*take)(size_t bytes) = pool_alloc;
static void (*release)(void *p) = pool_free;

/* As in lib/operate/: one device computes what several do not share. */
static enum outcome multiply(void) {
    int device;
    if (mpgpu_conf.shared != MPGPU_NEVER &&
        product_in_shares(q, a, n, b, n, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    return limbs_mul(q, a, n, b, n);
}

static enum outcome divide(void) {
    thresholds.div = 1; /* whatever that of products is */
    const struct division d = {.qp = q, .rp = r, .np = a, .dp = b, .nn = 2 * n, .dn = n};
    struct composite w = {0};
    return divide_limbs(&w, &d) ? w.failed : OUTCOME_MEMORY;
}

static enum outcome power(void) {
    static const mp_limb_t exponent = 0xb2e5;
    const struct powm p = {.rp = r, .bp = a, .ep = &exponent, .mp = b, .bn = n, .en = 1, .mn = n};
    struct composite w = {0};
    return powm_limbs(&w, &p) ? w.failed : OUTCOME_MEMORY;
}

static enum outcome root(unsigned long k) {
    const struct root x = {.sp = q, .rp = r, .np = a, .nn = 2 * n, .k = k};
    struct composite w = {0};
    return root_of_limbs(&w, &x) ? w.failed : OUTCOME_MEMORY;
}

static enum outcome square_root(void) {
    return root(2);
}

static enum outcome cube_root(void) {
    return root(3);
}

static mp_limb_t *limbs(uint64_t seed) {
    mp_limb_t *p = take((2 * n + 2) * sizeof *p);
    if (!p) {
        fprintf(stderr, "pair: no memory\n");
        exit(1);
    }
    for (size_t i = 0; i < 2 * n + 2; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = seed ^ seed >> 29;
    }
    return p;
}

static double once(enum outcome (*run)(void)) {
    memset(half, 0, sizeof half);
    first = last = 0;
    double begin = stats_clock();
    if (run() != OUTCOME_DONE) {
        fprintf(stderr, "pair: not done\n");
        exit(1);
    }
    return stats_clock() - begin;
}

static size_t shared; /* the option */

static double alone(enum outcome (*run)(void)) {
    double best = 0;
    mpgpu_conf.shared = MPGPU_NEVER;
    for (int i = 0; i < RUNS; i++) {
        double seconds = once(run);
        best = i == 0 || seconds < best ? seconds : best;
    }
    memcpy(right_r, r, 2 * n * sizeof *r);
    memcpy(right_q, q, 2 * n * sizeof *q);
    return best;
}

/* All but the steps takes what it takes. */
static double by_two(enum outcome (*run)(void), double own[CALC_HALVES]) {
    double best = 0;
    mpgpu_conf.shared = shared;
    for (int i = 0; i < RUNS; i++) {
        double seconds = once(run);
        seconds += sum_of_longer() - (last - first);
        if (i > 0 && seconds >= best)
            continue;
        best = seconds;
        own[0] = sum_of(0);
        own[1] = sum_of(1);
    }
    return best;
}

/* Each kernel by itself. */
static void look_closer(enum outcome (*run)(void)) {
    pair_clock_begin(PAIR_ONE);
    mpgpu_conf.shared = MPGPU_NEVER;
    once(run);
    pair_clock_begin(PAIR_FIRST);
    mpgpu_conf.shared = shared;
    once(run);
}

static void measure(const char *name, enum outcome (*run)(void)) {
    double own[CALC_HALVES];
    size_t bytes = 2 * n * sizeof *r;
    is_product = run == multiply;
    look_closer(run);
    look_closer(run); /* nothing is built or verified any more */
    pair_clock_set_link(LINK);
    double copied = pair_clock_copied(PAIR_FIRST);
    long events_alone = pair_clock_events(PAIR_ONE), events = pair_clock_events(PAIR_FIRST);
    pair_clock_pause();
    double one = alone(run), two = by_two(run, own);
    bool is_same = memcmp(right_r, r, bytes) == 0 && memcmp(right_q, q, bytes) == 0;
    int steps = half[0].count;
    two += is_product ? print_product_steps() : 0;
    printf("%-8s %11zu %9.3f %9.3f %5.2f  %9.3f %9.3f %6.3f %4d %4ld %4ld %s\n", name, 64 * n,
           1e3 * one, 1e3 * two, two / one, 1e3 * own[0], 1e3 * own[1], 1e-9 * copied, steps,
           events_alone, events, is_same ? "same" : "DIFFERENT");
    pair_clock_print();
    fflush(stdout);
}

static const struct {
    const char *name;
    enum outcome (*run)(void);
} operations[] = {{"product", multiply},
                  {"quotient", divide},
                  {"power", power},
                  {"sqrt", square_root},
                  {"root3", cube_root}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void measure_all(size_t bits) {
    mp_limb_t **const all[] = {&a, &b, &q, &r, &right_q, &right_r};
    n = (bits + 63) / 64;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = limbs(i + 1);
    for (int i = 0; i < OPERATIONS; i++)
        measure(operations[i].name, operations[i].run);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        release(*all[i]);
}

static struct gpu_backend backend;
const struct gpu_backend *const gpu_backends[] = {&backend, NULL};

int main(int argc, char **argv) {
    int sizes = argc > 1 && strcmp(argv[1], "--malloc") == 0 ? 2 : 1;
    if (argc <= sizes) {
        fprintf(stderr, "usage: pair [--malloc] BITS...\n");
        return 2;
    }
    if (sizes == 2)
        take = malloc, release = free;
    const char *given = getenv("MPGPU_CONF");
    char conf[512];
    snprintf(conf, sizeof conf, "open:wait,server:off,watchdog:0,device:0+1,%s",
             given ? given : "");
    setenv("MPGPU_CONF", conf, 1);
    if (!twin_real()) {
        fprintf(stderr, "pair: no device\n");
        return 77;
    }
    pair_clock_backend(&backend);
    call_init();
    shared = mpgpu_conf.shared;
    if (session_wait() != OUTCOME_DONE || session_devices_in(SESSION_READY) < CALC_HALVES) {
        fprintf(stderr, "pair: no two devices\n");
        return 1;
    }
    printf("%-8s %11s %9s %9s %5s  %9s %9s %6s %5s %3s %4s\n", "", "bits", "one ms", "two ms",
           "share", "first", "second", "GB", "steps", "", "");
    for (int i = sizes; i < argc; i++)
        measure_all((size_t)atof(argv[i]));
    return 0;
}
