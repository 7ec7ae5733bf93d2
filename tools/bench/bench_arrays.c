/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The mode arrays: measures operations per second of the batch calls of include/mpgpu.h, which
 * compute many numbers at once.  The numbers are on the device, or in arrays of mpz_t.  The same
 * operations by GMP on all CPUs are measured for comparison.  The library is opened at run time, so
 * that GMP's functions are not intercepted here. */
#include "config.h"

#include "tools/bench/bench.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "include/mpgpu.h"
#include "lib/session/session.h"

enum { COUNT = 10000, COUNT_CPU = 100, COMPARED = 20, MOST_CPUS = 256 };

/* ---- the library */

#define FUNCTIONS(f)                                                                               \
    f(wait) f(error) f(batch_create) f(batch_destroy) f(batch_on_device) f(batch_set_mpz)          \
        f(batch_get_mpz) f(batch_add) f(batch_mul) f(batch_mullo) f(batch_sqr) f(batch_gcd)        \
            f(batch_tdiv_qr) f(batch_modulus_create) f(batch_modulus_destroy) f(batch_mod_mul)     \
                f(batch_mod_sqr) f(batch_mod_pow) f(batch_mod_pow_sec) f(batch_mod_invert)         \
                    f(expression_create) f(expression_operand) f(expression_add)                   \
                        f(expression_mullo) f(expression_result) f(expression_finish)              \
                            f(expression_run)

struct library {
#define MEMBER(name) __typeof__(mpgpu_##name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    mpgpu_expression *polynomial;
};

/* Adds `conf` to MPGPU_CONF.  Call it before the library is loaded, because the library reads the
 * environment in its first call. */
static bool set_options(const char *conf) {
    const char *old = getenv("MPGPU_CONF");
    char text[2048];
    int length = snprintf(text, sizeof text, "%s%s%s", old ? old : "", old ? "," : "", conf);
    if (length < (int)sizeof text && (!*conf || setenv("MPGPU_CONF", text, 1) == 0))
        return true;
    fprintf(stderr, "mpgpu-bench: arrays: too many options of the library: %s\n", conf);
    return false;
}

static bool find(void *handle, const char *name, void *function) {
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    if (!address)
        fprintf(stderr, "mpgpu-bench: the library has no %s\n", name);
    return address != NULL;
}

/* Records the expression (u u + v) (v v + v) + u v.  Only the low half of each product is used. */
static void record_polynomial(struct library *lib) {
    mpgpu_expression *e = lib->expression_create(2);
    int u = lib->expression_operand(e, 0), v = lib->expression_operand(e, 1);
    int left = lib->expression_add(e, lib->expression_mullo(e, u, u), v);
    int right = lib->expression_add(e, lib->expression_mullo(e, v, v), v);
    int product = lib->expression_mullo(e, left, right);
    lib->expression_result(e, lib->expression_add(e, product, lib->expression_mullo(e, u, v)));
    lib->expression_finish(e);
    lib->polynomial = e;
}

/* Loads the library permanently, with the options `conf` after those of MPGPU_CONF, and waits for
 * its device. `path` is NULL for the library next to this program, or the installed one.  Prints a
 * message and returns false on failure. */
static bool open_library(struct library *lib, const char *path, const char *conf) {
    char found[4096];
    bool has_all = true;
    if (!set_options(conf) || (!path && !bench_find_library(found, sizeof found)))
        return false;
    void *handle = dlopen(path ? path : found, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "mpgpu-bench: without the library: %s\n", dlerror());
        return false;
    }
#define FIND(name) has_all &= find(handle, "mpgpu_" #name, &lib->name);
    FUNCTIONS(FIND)
#undef FIND
    if (has_all) {
        lib->wait();
        record_polynomial(lib);
    }
    return has_all;
}

/* ---- operations */

/* One operand or result of all operations: an array of mpz_t, and a batch of the same numbers. */
struct numbers {
    size_t limbs; /* limbs of each number; 0: there is no such operand */
    mpz_t *number;
    mpgpu_batch *batch;
};

struct bench_arrays {
    const struct library *lib;
    const struct bench_arrays_call *call;
    size_t count, limbs;
    struct numbers u, v, m, r, extra;
    /* the moduli `m` with their constants, or NULL if the operation has no modulus */
    mpgpu_batch_modulus *modulus;
};

static mpz_ptr number_of(const struct numbers *x, size_t i) {
    return x->number ? x->number[i] : NULL;
}

#define R a->r.batch
#define U a->u.batch
#define V a->v.batch
#define M a->modulus
#define X a->extra.batch
#define LOW(r) mpz_tdiv_r_2exp(r, r, GMP_NUMB_BITS * a->limbs)
#define CALL(name, help, u_times, v_times, m_times, r_times, extra_times, is_power, has_flags,     \
             call, gmp_call)                                                                       \
    static int run_##name(const struct bench_arrays *a) {                                          \
        return a->lib->call;                                                                       \
    }                                                                                              \
    static void gmp_##name(const struct bench_arrays *a, mpz_t r, size_t i) {                      \
        mpz_ptr u = number_of(&a->u, i), v = number_of(&a->v, i);                                  \
        mpz_ptr m = number_of(&a->m, i), x = number_of(&a->extra, i);                              \
        mpz_t t;                                                                                   \
        mpz_init(t);                                                                               \
        gmp_call;                                                                                  \
        mpz_clear(t);                                                                              \
        (void)u, (void)v, (void)m, (void)x;                                                        \
    }
#include "tools/bench/bench_arrays.def"
#undef CALL

const struct bench_arrays_call bench_arrays_calls[BENCH_ARRAYS_CALLS] = {
#define CALL(name, help, u_times, v_times, m_times, r_times, extra_times, is_power, has_flags,     \
             call, gmp_call)                                                                       \
    {#name,       help,     u_times,   v_times,    m_times,   r_times,                             \
     extra_times, is_power, has_flags, run_##name, gmp_##name},
#include "tools/bench/bench_arrays.def"
#undef CALL
};

/* ---- operands */

/* Fills x with random odd numbers: moduli must be odd, and exponents of secret powers must not be
 * 0. */
static void fill(const struct bench_arrays *a, struct numbers *x, uint64_t *seed) {
    for (size_t i = 0; i < a->count; i++) {
        timing_operand(mpz_limbs_write(x->number[i], (mp_size_t)x->limbs), x->limbs, TIMING_RANDOM,
                       seed);
        mpz_limbs_finish(x->number[i], (mp_size_t)x->limbs);
        mpz_setbit(x->number[i], 0);
    }
}

/* Allocates a batch and an array of mpz for one operand or result.  Fills both with random numbers
 * from *seed unless seed is NULL.  Returns false on failure. */
static bool open_numbers(const struct bench_arrays *a, struct numbers *x, size_t limbs,
                         uint64_t *seed) {
    x->limbs = limbs;
    if (!limbs)
        return true;
    x->number = malloc(a->count * sizeof *x->number);
    for (size_t i = 0; x->number && i < a->count; i++)
        mpz_init2(x->number[i], GMP_NUMB_BITS * limbs);
    x->batch = a->lib->batch_create(a->count, limbs);
    if (!x->number || !x->batch || !seed)
        return x->number && x->batch;
    fill(a, x, seed);
    return a->lib->batch_set_mpz(x->batch, (const mpz_t *)x->number) == 0;
}

/* Allocates operands of `bits` bits, rounded up to limbs, and fills them at random.  Exponents have
 * `bits`/ratio bits.  Returns false without memory. close_arrays must follow in either case. */
static bool open_arrays(struct bench_arrays *a, uint64_t bits, unsigned ratio) {
    const struct bench_arrays_call *c = a->call;
    const size_t n = (size_t)((bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
    const size_t exponents = (n + ratio - 1) / ratio;
    uint64_t seed = 1;
    a->limbs = n;
    if (!open_numbers(a, &a->u, c->u_times * n, &seed) ||
        !open_numbers(a, &a->v, c->is_power ? exponents : c->v_times * n, &seed) ||
        !open_numbers(a, &a->m, c->m_times * n, &seed) ||
        !open_numbers(a, &a->r, c->r_times * n, NULL) ||
        !open_numbers(a, &a->extra, c->has_flags ? 1 : c->extra_times * n, NULL))
        return false;
    a->modulus = c->m_times ? a->lib->batch_modulus_create(a->m.batch) : NULL;
    return a->modulus || !c->m_times;
}

static void close_arrays(struct bench_arrays *a) {
    struct numbers *const all[] = {&a->u, &a->v, &a->m, &a->r, &a->extra};
    a->lib->batch_modulus_destroy(a->modulus);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        a->lib->batch_destroy(all[k]->batch);
        for (size_t i = 0; all[k]->number && i < a->count; i++)
            mpz_clear(all[k]->number[i]);
        free(all[k]->number);
    }
}

/* ---- computes all results once, in one column of the table */

/* The numbers that one thread of GMP's column computes: first, first + step, and so on. */
struct share {
    const struct bench_arrays *a;
    size_t first, step;
    pthread_t thread;
};

static void *work(void *argument) {
    const struct share *s = argument;
    for (size_t i = s->first; i < s->a->count; i += s->step)
        s->a->call->gmp(s->a, s->a->r.number[i], i);
    return NULL;
}

static size_t cpus(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > MOST_CPUS ? MOST_CPUS : (size_t)count;
}

static int by_gmp(void *context) {
    struct share share[MOST_CPUS];
    size_t threads = cpus(), started = 0;
    for (; started < threads; started++) {
        share[started] = (struct share){context, started, threads, 0};
        if (pthread_create(&share[started].thread, NULL, work, &share[started]) != 0)
            break;
    }
    for (size_t k = 0; k < started; k++)
        pthread_join(share[k].thread, NULL);
    return started < threads;
}

static int set(const struct bench_arrays *a, const struct numbers *x) {
    return x->limbs ? a->lib->batch_set_mpz(x->batch, (const mpz_t *)x->number) : 0;
}

static int get(const struct bench_arrays *a, const struct numbers *x) {
    return x->limbs ? a->lib->batch_get_mpz(x->number, x->batch) : 0;
}

static int on_device(void *context) {
    const struct bench_arrays *a = context;
    return a->call->run(a);
}

/* Computes with operands and results in arrays of mpz_t.  Copies the operands to batches, and the
 * results from batches.  Uses the moduli that open_arrays created. */
static int between_arrays(void *context) {
    const struct bench_arrays *a = context;
    return set(a, &a->u) || set(a, &a->v) || a->call->run(a) || get(a, &a->r) || get(a, &a->extra);
}

static int (*const runs[BENCH_COLUMNS])(void *context) = {
    [BENCH_GMP] = by_gmp, [BENCH_MALLOC] = between_arrays, [BENCH_DEVICE] = on_device};

/* ---- measuring */

static size_t compared(const struct bench_arrays *a, size_t k) {
    return k * (a->count - 1) / (COMPARED - 1);
}

/* Compares result i with GMP's.  If the operation has a second result, compares that as well. */
static bool is_right(const struct bench_arrays *a, size_t i) {
    const bool has_other = a->call->extra_times > 0;
    mpz_t right, other;
    mpz_inits(right, other, NULL);
    if (has_other)
        mpz_set(other, a->extra.number[i]);
    a->call->gmp(a, right, i);
    bool is_same = mpz_cmp(right, a->r.number[i]) == 0;
    is_same &= !has_other || mpz_cmp(other, a->extra.number[i]) == 0;
    mpz_clears(right, other, NULL);
    return is_same;
}

/* Sets the results in x to zeros in the batch, and to -1 in the array. */
static int forget(const struct bench_arrays *a, struct numbers *x) {
    for (size_t i = 0; x->limbs && i < a->count; i++)
        mpz_set_ui(x->number[i], 0);
    int error = set(a, x);
    for (size_t i = 0; x->limbs && i < a->count; i++)
        mpz_set_si(x->number[i], -1);
    return error;
}

/* Computes all results in one column, and compares some of them with GMP's.  Clears the results
 * first, so that another column's results cannot be mistaken for them. */
static enum bench_state compare(struct bench_arrays *a, enum bench_column column) {
    if (forget(a, &a->r) || forget(a, &a->extra) || runs[column](a) ||
        (column == BENCH_DEVICE && (get(a, &a->r) || get(a, &a->extra)))) {
        const char *error = a->lib->error();
        fprintf(stderr, "mpgpu-bench: %s: %s\n", a->call->name,
                *error ? error : "a thread cannot be created");
        return BENCH_FAILED;
    }
    for (size_t k = 0; k < COMPARED; k++)
        if (!is_right(a, compared(a, k)))
            return BENCH_WRONG;
    return BENCH_RIGHT;
}

/* Times all columns alternately.  Sets figures to numbers per second. */
static void measure(const struct bench_options *options, struct bench_arrays *a,
                    struct bench_figure *figures) {
    struct timing_task tasks[BENCH_COLUMNS];
    enum bench_state state[BENCH_COLUMNS];
    const double count = (double)a->count;
    for (int k = 0; k < options->column_count; k++) {
        state[k] = compare(a, options->columns[k]);
        tasks[k] = (struct timing_task){.run = runs[options->columns[k]], .context = a};
    }
    bench_time(tasks, options->column_count, &options->budget, figures);
    for (int k = 0; k < options->column_count; k++) {
        struct timing t = figures[k].time;
        if (figures[k].state != BENCH_FAILED)
            figures[k] = (struct bench_figure){
                {count / t.median, count / t.high, count / t.low, t.runs}, state[k]};
    }
}

/* Times one operation at one size and reports it. */
static void measure_at(const struct bench_options *options, struct bench_report *report,
                       const struct bench_shape *shape, uint64_t bits, struct bench_arrays *a) {
    struct bench_figure figures[BENCH_COLUMNS];
    for (int k = 0; k < BENCH_COLUMNS; k++)
        figures[k] = bench_value(-1, BENCH_FAILED);
    if (open_arrays(a, bits, shape->ratio))
        measure(options, a, figures);
    else
        fprintf(stderr, "mpgpu-bench: %s: %s\n", shape->name, a->lib->error());
    bench_report_row(report, shape->name, bits, a->u.limbs, a->v.limbs, a->r.limbs);
    for (int k = 0; k < options->column_count; k++)
        bench_report_put(report, bench_columns[options->columns[k]].name, "per second", figures[k]);
    bool is_there = a->r.batch && a->lib->batch_on_device(a->r.batch);
    bench_report_print(report, is_there ? "" : "  on the host");
    close_arrays(a);
}

static size_t count_of(const struct bench_options *options) {
    struct gpu_device dev;
    struct profile unused;
    if (options->count > 0)
        return (size_t)options->count;
    bool has_gpu = session_profile(&dev, &unused) == OUTCOME_DONE && !dev.caps.is_cpu;
    return has_gpu ? COUNT : COUNT_CPU;
}

int bench_arrays(const struct bench_options *options, struct bench_report *report) {
    struct library lib;
    const size_t count = count_of(options);
    if (!open_library(&lib, options->library, options->conf))
        return 2;
    printf("Operations per second on %zu numbers; gmp: %zu threads\n", count, cpus());
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++) {
            struct bench_arrays a = {
                .lib = &lib, .call = options->shapes[i].arrays, .count = count};
            measure_at(options, report, &options->shapes[i], options->bits[k], &a);
        }
    return 0;
}
