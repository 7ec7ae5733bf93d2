/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock device. */
#include "config.h"

#include "tests/support/mock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/radix/text.h"
#include "lib/base/stats.h"
#include "lib/gmp/real.h"
#include "lib/job/job.h"
#include "lib/operate/batch_run.h"
#include "lib/operate/batches/look_run.h"
#include "lib/operate/operate.h"
#include "lib/session/session.h"
#include "lib/session/session_device.h"
#include "tests/support/thresholds.h"

struct mock mock = {.failure = OUTCOME_FAILED, .readiness = OUTCOME_DONE};

void session_init(void) {
    thresholds_set_all(mock.threshold);
}

void session_say_missing(void) {
}

void session_look(void) {
}

void session_fault(void) {
    mock.faults++;
}

enum outcome session_wait(void) {
    return mock.behaviour == COMPUTES ? OUTCOME_DONE : OUTCOME_NONE;
}

/* Its device is open. */
bool session_rents(void) {
    return false;
}

void session_pay(int64_t ns) {
    (void)ns;
}

void session_expect(int64_t ns) {
    (void)ns;
}

/* A device that fails is there before it does. */
enum outcome session_ready(void) {
    return mock.readiness;
}

/* For the pool, which has nothing locked. */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *context), void *context,
                         size_t size, size_t bytes) {
    (void)work, (void)context, (void)size, (void)bytes;
    return OUTCOME_NONE;
}

void session_describe(char *text, size_t size) {
    snprintf(text, size, "mock");
}

/* One device, which nothing is bound to. */
bool session_ask_work(unsigned i, struct session_work *work) {
    (void)i, (void)work;
    return false;
}

unsigned session_devices(unsigned *number) {
    number[0] = 0;
    return 1;
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

void session_go_on(bool goes_on) {
    (void)goes_on;
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

int session_place(void) {
    return 0;
}

static enum mock_behaviour behaviour_of(int call) {
    if (mock.fails_at_times)
        return call % 3 ? COMPUTES : FAILS;
    return mock.any_behaviour ? (enum mock_behaviour)(call % BEHAVIOURS) : mock.behaviour;
}

/* What lib/operate/operate.h asks of a call; GMP's random numbers make some outside of any test,
 * where Check's own words are not to be used. */
static void demand(bool good) {
    if (!good)
        abort();
}

/* What becomes of a right result {rp, n}. */
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
        mp_limb_t limb = rp[0]; /* limbs in the wrong order */
        rp[0] = rp[n - 2];
        rp[n - 2] = limb;
    } else if (now == ERRS)
        rp[n / 2] ^= (mp_limb_t)1 << call % GMP_NUMB_BITS;
    return now == FAILS ? mock.failure : OUTCOME_DONE;
}

enum outcome operate_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    demand(un >= vn && vn >= 1);
    demand(rp + un + vn <= up || up + un <= rp);
    demand(rp + un + vn <= vp || vp + vn <= rp);
    real.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un + vn);
}

bool operate_is_small(const struct operate_factors *f) {
    return f->un + f->vn <= MOCK_SMALL;
}

bool operate_mul_several(const struct operate_factors *f, unsigned count, enum outcome *outcome) {
    *outcome = OUTCOME_DONE;
    demand(count >= 1 && count <= OPERATE_SEVERAL);
    for (unsigned i = 0; i < count; i++) {
        bool swaps = f[i].un < f[i].vn;
        enum outcome one = swaps ? operate_mul(f[i].rp, f[i].vp, f[i].vn, f[i].up, f[i].un)
                                 : operate_mul(f[i].rp, f[i].up, f[i].un, f[i].vp, f[i].vn);
        *outcome = *outcome == OUTCOME_DONE ? one : *outcome;
    }
    mock.several++;
    return true;
}

/* To be freed. */
static mp_ptr product_of(const mp_limb_t *up, size_t un, const mp_limb_t *vp, size_t vn) {
    mp_ptr pp = malloc((un + vn) * sizeof *pp);
    demand(un >= vn && vn >= 1 && pp);
    real.mpn_mul(pp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return pp;
}

enum outcome operate_mullo(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                           const mp_limb_t *vp, size_t vn) {
    demand(1 <= rn && rn <= un + vn);
    mp_ptr pp = product_of(up, un, vp, vn);
    memcpy(rp, pp, rn * sizeof *rp);
    free(pp);
    return behave(rp, rn);
}

enum outcome operate_mul_1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un, mp_limb_t v,
                           const mp_limb_t *wp, size_t wn, int subtract) {
    mp_size_t n = (mp_size_t)un, above = (mp_size_t)(rn - un);
    demand(un >= 1 && rn > un && (wn == 0 || (rn > un + 1 && rn > wn)));
    demand(rp + rn <= up || up + un <= rp);
    demand(wn == 0 || rp + rn <= wp || wp + wn <= rp);
    memset(rp, 0, rn * sizeof *rp);
    memcpy(rp, wp, wn * sizeof *rp);
    if (subtract)
        mpn_sub_1(rp + un, rp + un, above, mpn_submul_1(rp, up, n, v));
    else
        mpn_add_1(rp + un, rp + un, above, mpn_addmul_1(rp, up, n, v));
    return behave(rp, rn);
}

enum outcome operate_mulmod_bnm1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn) {
    demand(rn >= un && un + vn > rn);
    mp_ptr pp = product_of(up, un, vp, vn);
    mp_limb_t carry = mpn_add(rp, pp, (mp_size_t)rn, pp + rn, (mp_size_t)(un + vn - rn));
    mpn_add_1(rp, rp, (mp_size_t)rn, carry);
    free(pp);
    mock.wrapped++;
    return behave(rp, rn);
}

size_t operate_bnm1_size(size_t least, size_t un, size_t vn) {
    size_t n = least + (un + vn) % 3;
    return mock.wraps && n >= un && n >= vn && n < un + vn ? n : 0;
}

enum outcome operate_mulmod_bnp1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn, mp_limb_t *top) {
    demand(rn >= un);
    mp_ptr pp = product_of(up, un, vp, vn);
    memset(rp, 0, rn * sizeof *rp);
    memcpy(rp, pp, (un + vn < rn ? un + vn : rn) * sizeof *rp);
    *top = 0;
    if (un + vn > rn && mpn_sub(rp, rp, (mp_size_t)rn, pp + rn, (mp_size_t)(un + vn - rn)))
        *top = mpn_add_1(rp, rp, (mp_size_t)rn, 1);
    free(pp);
    return behave(rp, rn);
}

enum outcome batch_run_limbs(const struct batch_limbs *b) {
    demand(!b->low && b->n >= 1 && b->count >= 1);
    for (size_t i = 0; i < b->count; i++)
        real.mpn_mul_n(b->rp + 2 * i * b->n, b->up + i * b->n, b->vp + i * b->n, (mp_size_t)b->n);
    return behave(b->rp, 2 * b->n * b->count);
}

/* There is no memory on it. */
enum outcome batch_alloc(struct batch_store *store, size_t bytes) {
    (void)store, (void)bytes;
    return OUTCOME_MEMORY;
}

enum outcome batch_fill(struct batch_store *store, const void *from) {
    (void)store, (void)from;
    return OUTCOME_MEMORY;
}

enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes) {
    (void)to, (void)store, (void)bytes;
    return OUTCOME_NONE;
}

void batch_free(struct batch_store *store) {
    demand(store->bytes == 0);
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
    const struct job_ref *u = &job->u[0], *r = &job->r[0];
    const int base = (int)job->parameter[JOB_RADIX];
    mp_limb_t *copy = calloc(u->n + 1, sizeof *copy);
    unsigned char *values = malloc(r->n + 2), *to = (unsigned char *)r->host;
    demand(copy && values);
    memcpy(copy, u->host, job_bytes(u));
    const size_t n = real.mpn_get_str(values, base, copy, (mp_size_t)u->n);
    demand(n == r->n || n + 1 == r->n);
    job->answer = n < r->n ? JOB_IS_SHORTER : 0;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)text_character(values[i], (u32)job->parameter[JOB_CHARACTERS]);
    free(copy);
    free(values);
    return behave_as_text(to, n);
}

static enum outcome set_str(struct job *job) {
    const struct job_ref *u = &job->u[0], *r = &job->r[0];
    const u32 base = (u32)job->parameter[JOB_RADIX];
    unsigned char *values = malloc(u->n);
    mp_limb_t *right = calloc(u->n / sizeof *right + r->n + 2, sizeof *right);
    size_t zeros = 0;
    demand(values && right);
    job->answer = 0;
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
    mp_limb_t answer = 0; /* a device that errs says that it is a number */
    enum outcome outcome = behave(&answer, 1);
    if (answer != 0) {
        job->answer = 0;
        memset(r->host, 0, job_bytes(r));
    }
    return outcome;
}

/* Of the others none is computed as a whole: the host's engine computes them, by products. */
enum outcome job_run(struct job *job) {
    return job->op == JOB_get_str   ? get_str(job)
           : job->op == JOB_set_str ? set_str(job)
                                    : OUTCOME_NONE;
}

enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes) {
    (void)store, (void)at, (void)from, (void)bytes;
    return OUTCOME_MEMORY;
}

enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    (void)store, (void)at, (void)from, (void)bytes;
    return OUTCOME_MEMORY;
}

uint64_t batch_residue(const void *from, size_t at, size_t bytes) {
    (void)from, (void)at, (void)bytes;
    return 0;
}

uint64_t batch_add_residues(uint64_t a, uint64_t b) {
    return a + b;
}

bool batch_is_kept(const struct batch_store *store, uint64_t residue) {
    (void)store, (void)residue;
    return true;
}

enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes) {
    (void)to, (void)store, (void)at, (void)bytes;
    return OUTCOME_NONE;
}

enum outcome euclid_run_look(gpu_mem v, uint64_t count, uint32_t words,
                             struct euclid_found *found) {
    (void)v, (void)count, (void)words, (void)found;
    return OUTCOME_NONE;
}

enum outcome operate_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    demand(un >= vn && vn >= 1);
    *cy = mpn_add(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un);
}

enum outcome operate_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    demand(un >= vn && vn >= 1);
    *cy = mpn_sub(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un);
}
