/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock device. */
#include "config.h"

#include "tests/support/mock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/radix/text.h"
#include "lib/base/conf.h"
#include "lib/base/profile.h"
#include "lib/base/stats.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/real.h"
#include "lib/job/engine.h"
#include "lib/job/limbs_gmp.h"
#include "lib/session/session.h"
#include "lib/session/session_device.h"

/* ---- thresholds */

/* Sets the thresholds of products, squares, products modulo B^n - 1 and sums to `limbs`, and the
 * other thresholds to multiples of it.  Switches off all other rules for the choice between GMP and
 * the device. */
static void thresholds_set_all(size_t limbs) {
    struct profile p;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    profile_clear(&p);
    p.value[PROFILE_mul] = p.value[PROFILE_sqr] = limbs;
    p.value[PROFILE_mulmod] = p.value[PROFILE_add] = limbs;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, profile_limbs(&p, i));
}

struct mock mock = {.failure = OUTCOME_FAILED, .readiness = OUTCOME_DONE};

void session_init(void) {
    thresholds_set_all(mock.threshold);
}

void session_say_missing(void) {
}

void session_expect_filter(void) {
}

void session_look(void) {
}

void session_fault(void) {
    mock.faults++;
}

enum outcome session_wait(void) {
    return mock.behaviour == COMPUTES ? OUTCOME_DONE : OUTCOME_NONE;
}

/* Returns false: the mock's device is open from the start, so no call waits for its opening. */
bool session_defers_contact(void) {
    return false;
}

void session_add_gmp_time(int64_t ns) {
    (void)ns;
}

enum outcome session_expect(int64_t ns) {
    (void)ns;
    return OUTCOME_DONE;
}

/* Returns the readiness that the test has set. Even if the device is ready, the test can let calls
 * of it fail. */
enum outcome session_ready(void) {
    return mock.readiness;
}

/* The memory pool calls this to page-lock memory; the mock has no device memory and declines. */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *context), void *context,
                         size_t size, size_t bytes) {
    (void)work, (void)context, (void)size, (void)bytes;
    return OUTCOME_NONE;
}

void session_describe(char *text, size_t size) {
    snprintf(text, size, "mock");
}

/* Returns false: the mock has one device, and threads cannot be bound to it. */
bool session_ask_work(unsigned i, struct session_work *work) {
    (void)i, (void)work;
    return false;
}

unsigned session_devices(unsigned *number) {
    number[0] = 0;
    return 1;
}

unsigned session_devices_of_group(unsigned *number) {
    (void)number;
    return 0;
}

unsigned session_devices_idle(unsigned *number, bool *peers) {
    *peers = false;
    return session_devices(number);
}

unsigned session_devices_begun(void) {
    return 0;
}

struct session_device *session_device(unsigned i) {
    (void)i;
    return NULL;
}

void session_set_counted(bool is_counted) {
    (void)is_counted;
}

bool session_ask_device(int device, struct gpu_device *dev) {
    (void)device, (void)dev;
    return false;
}

bool session_is_usable(int device) {
    (void)device;
    return true;
}

int session_bind(int device) {
    (void)device;
    return SESSION_ANY;
}

int session_bound(void) {
    return SESSION_ANY;
}

int session_least_used(void) {
    return 0;
}

static enum mock_behaviour behaviour_of(int call) {
    if (mock.fails_at_times)
        return call % 3 ? COMPUTES : FAILS;
    return mock.any_behaviour ? (enum mock_behaviour)(call % BEHAVIOURS) : mock.behaviour;
}

/* Aborts unless `good`, a condition that lib/job/engine.h imposes on calls.  Check's assertions
 * cannot be used, because GMP's random functions may call the mock outside of any test. */
static void demand(bool good) {
    if (!good)
        abort();
}

/* Applies the mock's behaviour to a right result {rp, n}: keeps it, spoils it, or fails. */
static enum outcome behave(mp_limb_t *rp, size_t n) {
    int call = mock.calls++;
    enum mock_behaviour now = behaviour_of(call);
    mock.limbs += n;
    stats_here()->kernels += mock.seconds;
    stats_here()->ways[STATS_NTT]++;
    errno = EDOM;
    if (now == FAILS)
        memset(rp, 0xa5, n * sizeof *rp);
    else if (now == ERRS && n > 2 && call % 2 && rp[0] != rp[n - 2]) {
        mp_limb_t limb = rp[0]; /* swap two limbs */
        rp[0] = rp[n - 2];
        rp[n - 2] = limb;
    } else if (now == ERRS)
        rp[n / 2] ^= (mp_limb_t)1 << call % GMP_NUMB_BITS;
    return now == FAILS ? mock.failure : OUTCOME_DONE;
}

/* Computes an operation on limbs by GMP.  Aborts if a result overlaps an operand, which
 * lib/job/engine.h forbids. */
static enum outcome run_limbs(struct job *job) {
    const struct job_ref *r = &job->r[0];
    for (unsigned k = 0; k < job->operands; k++)
        demand(r->host + r->n <= job->u[k].host || job->u[k].host + job->u[k].n <= r->host);
    demand(limbs_gmp(job));
    job->r[0].delivered = r->n;
    mock.wrapped += job->op == JOB_mulmod_bnm1;
    return behave(r->host, r->n);
}

bool engine_is_small(const struct limbs_factors *f) {
    return f->un + f->vn <= MOCK_SMALL;
}

bool engine_run_several(const struct limbs_factors *f, unsigned count, enum outcome *outcome) {
    *outcome = OUTCOME_DONE;
    demand(count >= 1 && count <= LIMBS_SEVERAL);
    for (unsigned i = 0; i < count; i++)
        if (!engine_is_small(&f[i]))
            return false;
    for (unsigned i = 0; i < count; i++) {
        bool swaps = f[i].un < f[i].vn;
        struct job job = {.op = JOB_mul,
                          .operands = 2,
                          .results = 1,
                          .u = {job_limbs(f[i].up, f[i].un), job_limbs(f[i].vp, f[i].vn)},
                          .r = {job_limbs(f[i].rp, f[i].un + f[i].vn)}};
        if (swaps) {
            job.u[0] = job_limbs(f[i].vp, f[i].vn);
            job.u[1] = job_limbs(f[i].up, f[i].un);
        }
        enum outcome one = run_limbs(&job);
        *outcome = *outcome == OUTCOME_DONE ? one : *outcome;
    }
    mock.several++;
    return true;
}

/* Computes products of arrays of numbers in host memory. */
static enum outcome run_arrays(struct job *job) {
    struct job_ref *r = &job->r[0];
    const size_t n = job->u[0].n;
    demand(job->op == JOB_batch_mul && r->host);
    for (size_t i = 0; i < r->count; i++)
        real.mpn_mul_n(r->host + 2 * i * n, job->u[0].host + i * n, job->u[1].host + i * n,
                       (mp_size_t)n);
    r->delivered = r->count * r->n;
    return behave(r->host, r->delivered);
}

/* ---- radix conversion */

static enum outcome behave_as_text(unsigned char *sp, size_t n) {
    mp_limb_t *limbs = calloc(n / sizeof *limbs + 1, sizeof *limbs);
    demand(limbs);
    memcpy(limbs, sp, n);
    enum outcome outcome = behave(limbs, n / sizeof *limbs + 1);
    memcpy(sp, limbs, n);
    free(limbs);
    return outcome;
}

static enum outcome get_str(struct job *job) {
    const struct job_ref *u = &job->u[0];
    struct job_ref *r = &job->r[0];
    const int base = (int)job->parameter[JOB_RADIX];
    mp_limb_t *copy = calloc(u->n + 1, sizeof *copy);
    unsigned char *values = malloc(r->n + 2), *to = (unsigned char *)r->host;
    demand(copy && values);
    memcpy(copy, u->host, job_bytes(u));
    const size_t n = real.mpn_get_str(values, base, copy, (mp_size_t)u->n);
    demand(n == r->n || n + 1 == r->n);
    job->answer = n < r->n ? JOB_IS_SHORTER : 0;
    r->delivered = n;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)text_character(values[i], (u32)job->parameter[JOB_CHARACTERS]);
    free(copy);
    free(values);
    return behave_as_text(to, n);
}

static enum outcome set_str(struct job *job) {
    const struct job_ref *u = &job->u[0];
    struct job_ref *r = &job->r[0];
    const u32 base = (u32)job->parameter[JOB_RADIX];
    unsigned char *values = malloc(u->n);
    mp_limb_t *right = calloc(u->n / sizeof *right + r->n + 2, sizeof *right);
    size_t zeros = 0;
    demand(values && right);
    job->answer = 0;
    r->delivered = r->n;
    for (size_t i = 0; i < u->n; i++) {
        const u32 value = text_value(((const unsigned char *)u->host)[i], base,
                                     (u32)job->parameter[JOB_CHARACTERS]);
        values[i] = (unsigned char)value;
        if (value >= base)
            job->answer = JOB_IS_NO_NUMBER;
    }
    while (zeros < u->n && values[zeros] == 0)
        zeros++;
    if (!job->answer && zeros < u->n)
        real.mpn_set_str(right, values + zeros, u->n - zeros, (int)base);
    if (!job->answer)
        memcpy(r->host, right, job_bytes(r));
    free(values);
    free(right);
    if (!job->answer)
        return behave(r->host, r->n);
    /* behave() may spoil `answer`; then an invalid text is reported as valid */
    mp_limb_t answer = 0;
    enum outcome outcome = behave(&answer, 1);
    if (answer != 0) {
        job->answer = 0;
        memset(r->host, 0, job_bytes(r));
    }
    return outcome;
}

static enum outcome mul_part(struct job *job) {
    const struct job_ref *u = &job->u[0], *v = &job->u[1];
    struct job_ref *r = &job->r[0];
    mp_limb_t *product = calloc(u->n + v->n, sizeof *product);
    demand(product && job->operands == 2 && job->parameter[JOB_SKIP] + r->n <= u->n + v->n);
    if (u->n >= v->n)
        real.mpn_mul(product, u->host, (mp_size_t)u->n, v->host, (mp_size_t)v->n);
    else
        real.mpn_mul(product, v->host, (mp_size_t)v->n, u->host, (mp_size_t)u->n);
    memcpy(r->host, product + job->parameter[JOB_SKIP], job_bytes(r));
    r->delivered = r->n;
    free(product);
    return behave(r->host, r->n);
}

/* Computes a job by GMP.  Of composite operations, it computes get_str, set_str and mul_part;
 * the host computes the others by products. */
enum outcome engine_run(struct job *job) {
    return job->op < JOB_BATCH_OPS && job->u[0].host ? run_arrays(job)
           : job_is_on_limbs(job)                    ? run_limbs(job)
           : job->op == JOB_get_str                  ? get_str(job)
           : job->op == JOB_set_str                  ? set_str(job)
           : job->op == JOB_mul_part                 ? mul_part(job)
           : job->op == JOB_store_alloc              ? OUTCOME_MEMORY
                                                     : OUTCOME_NONE;
}

enum outcome engine_run_staged(struct job *job) {
    return engine_run(job);
}

size_t engine_bnm1_size(size_t least, size_t un, size_t vn) {
    size_t n = least + (un + vn) % 3;
    return mock.wraps && n >= un && n >= vn && n < un + vn ? n : 0;
}
