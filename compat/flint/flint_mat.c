/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts FLINT's fmpz_mat_mul, which computes products of matrices of integers. fmpz_mat_sqr,
 * arb_mat_mul and other functions of FLINT call it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "compat/flint/flint_real.h"
#include "compat/intercept/call.h"
#include "lib/gmp/normalize.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/process/thread_pool.h"

/* The minimum of rows, columns and terms of a product that the device computes. */
enum { LEAST_SIDE = 8 };

/* Reading the length of an entry, which is at a random address, takes as long as copying this many
 * bytes. */
enum { BYTES_READ = 256 };

static bool is_mpz(long x) {
    return (unsigned long)x >> 62 == 1;
}

/* Returns the mpz_t of an entry for which is_mpz is true. */
static mpz_srcptr mpz_of(long x) {
    return (mpz_srcptr)((unsigned long)x << 2); /* NOLINT: FLINT stores the address / 4 */
}

static long *row_of(const struct flint_real *f, const struct flint_mat *m, long i) {
    return f->has_strides ? m->entries + i * m->at.stride : m->at.row[i];
}

static uint64_t bits_of(long x) {
    const mp_limb_t small = (mp_limb_t)labs(is_mpz(x) ? 0 : x);
    return is_mpz(x) ? normalize_bits(mpz_of(x)->_mp_d, (size_t)abs(mpz_of(x)->_mp_size))
                     : normalize_bits(&small, 1);
}

/* The arguments of read_bits and put_rows, which several threads run, each on some rows. read_bits
 * finds the bit length of the longest entry. put_rows copies the entries to `to`. */
struct reading {
    const struct flint_real *f;
    const struct flint_mat *m;
    _Atomic uint64_t bits;
    mp_limb_t *to;
    size_t n;
};

static void read_bits(void *context, size_t first, size_t end) {
    struct reading *r = context;
    uint64_t most = 0;
    for (size_t i = first; i < end; i++)
        for (long j = 0; j < r->m->columns; j++) {
            const uint64_t bits = bits_of(row_of(r->f, r->m, (long)i)[j]);
            most = bits > most ? bits : most;
        }
    for (uint64_t before = r->bits; most > before;)
        if (atomic_compare_exchange_weak(&r->bits, &before, most))
            break;
}

/* Returns the bit length of the matrix's longest entry. */
static uint64_t most_bits(const struct flint_real *f, const struct flint_mat *m) {
    struct reading r = {.f = f, .m = m};
    const size_t entries = (size_t)m->rows * (size_t)m->columns;
    thread_pool_loop((size_t)m->rows, entries * BYTES_READ, read_bits, &r);
    return r.bits;
}

/* Stores an entry as {to, n} in two's complement. */
static void put_entry(mp_limb_t *to, size_t n, long x) {
    if (!is_mpz(x)) {
        to[0] = (mp_limb_t)x;
        for (size_t i = 1; i < n; i++)
            to[i] = x < 0 ? ~(mp_limb_t)0 : 0;
        return;
    }
    const size_t used = (size_t)abs(mpz_of(x)->_mp_size);
    mpn_copyi(to, mpz_of(x)->_mp_d, (mp_size_t)used);
    mpn_zero(to + used, (mp_size_t)(n - used));
    if (mpz_of(x)->_mp_size < 0)
        mpn_neg(to, to, (mp_size_t)n);
}

static void put_rows(void *context, size_t first, size_t end) {
    const struct reading *r = context;
    mp_limb_t *to = r->to + first * (size_t)r->m->columns * r->n;
    for (size_t i = first; i < end; i++)
        for (long j = 0; j < r->m->columns; j++, to += r->n)
            put_entry(to, r->n, row_of(r->f, r->m, (long)i)[j]);
}

static void put(const struct flint_real *f, mp_limb_t *to, size_t n, const struct flint_mat *m) {
    struct reading r = {.f = f, .m = m, .to = to, .n = n};
    const size_t entries = (size_t)m->rows * (size_t)m->columns;
    thread_pool_loop((size_t)m->rows, entries * n * sizeof *to, put_rows, &r);
}

static void get(const struct flint_real *f, const struct flint_mat *m, long rows, long columns,
                const mp_limb_t *from, size_t n) {
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++, from += n)
            f->fmpz_set_signed_ui_array(row_of(f, m, i) + j, from, (long)n);
}

/* A product under way: the job, and the memory of its operands and result. */
struct product {
    const struct flint_real *f;
    const struct flint_mat *r, *u, *v;
    uint64_t u_bits, v_bits;
    struct job job;
};

static struct job_ref shape_of(const struct flint_mat *m, uint64_t bits) {
    return (struct job_ref){.count = (uint64_t)m->rows * (uint64_t)m->columns,
                            .n = job_entry_limbs(bits)};
}

static void describe(struct product *p) {
    const uint64_t inner = (uint64_t)p->u->columns;
    uint64_t bits = p->u_bits + p->v_bits;
    for (uint64_t i = 1; i < inner; i *= 2)
        bits++;
    p->job = (struct job){
        .op = JOB_matrix_mul,
        .operands = 2,
        .results = 1,
        .u = {shape_of(p->u, p->u_bits), shape_of(p->v, p->v_bits)},
        .parameter = {(uint64_t)p->u->rows, inner, (uint64_t)p->v->columns, p->u_bits, p->v_bits}};
    p->job.r[0] = (struct job_ref){.count = (uint64_t)p->u->rows * (uint64_t)p->v->columns,
                                   .n = job_entry_limbs(bits)};
}

static enum outcome run(struct product *p) {
    struct job *j = &p->job;
    if (!j->u[0].host || !j->u[1].host || !j->r[0].host)
        return OUTCOME_MEMORY;
    put(p->f, j->u[0].host, j->u[0].n, p->u);
    if (p->u != p->v)
        put(p->f, j->u[1].host, j->u[1].n, p->v);
    const enum outcome outcome = job_run(j);
    if (outcome == OUTCOME_DONE)
        get(p->f, p->r, p->u->rows, p->v->columns, j->r[0].host, j->r[0].n);
    return outcome;
}

static enum outcome on_device(struct product *p) {
    struct job *j = &p->job;
    j->u[0].host = malloc(job_bytes(&j->u[0]));
    j->u[1].host = p->u == p->v ? j->u[0].host : malloc(job_bytes(&j->u[1]));
    j->r[0].host = malloc(job_bytes(&j->r[0]));
    mp_limb_t *const u = j->u[0].host, *const v = j->u[1].host, *const r = j->r[0].host;
    const enum outcome outcome = run(p);
    wipe_free(r, r ? job_bytes(&j->r[0]) : 0);
    if (p->u != p->v)
        wipe_free(v, v ? job_bytes(&j->u[1]) : 0);
    wipe_free(u, u ? job_bytes(&j->u[0]) : 0);
    return outcome;
}

/* Returns the total number of limbs of both operands. */
static size_t limbs_of(const struct product *p) {
    return (job_bytes(&p->job.u[0]) + job_bytes(&p->job.u[1])) / sizeof(mp_limb_t);
}

/* Returns a measure of the work, which is compared with a threshold: the limbs of two entries,
 * times the number of products of entries, divided by a constant. */
static size_t size_of(const struct product *p) {
    return (size_t)(p->job.u[0].count * (uint64_t)p->v->columns * (p->job.u[0].n + p->job.u[1].n) /
                    (2 * LEAST_SIDE));
}

LARGE void mat_mul_large(const struct flint_real *f, struct flint_mat *r, const struct flint_mat *u,
                         const struct flint_mat *v) {
    struct product p = {f, r, u, v, most_bits(f, u), u == v ? 0 : most_bits(f, v), {0}};
    p.v_bits = u == v ? p.u_bits : p.v_bits;
    describe(&p);
    CALL_FLINT(ROW_fmpz_mat_mul, size_of(&p), &thresholds.batch, limbs_of(&p),
               job_composites_run() && job_fits(&p.job) ? on_device(&p) : OUTCOME_SIZE,
               f->fmpz_mat_mul(r, u, v));
}

static inline bool is_small(const struct flint_real *f, const struct flint_mat *u,
                            const struct flint_mat *v) {
    return u->rows < LEAST_SIDE || u->columns < LEAST_SIDE || v->columns < LEAST_SIDE ||
           thresholds_is_small((size_t)u->rows * (size_t)u->columns * (size_t)v->columns,
                               &thresholds.batch) ||
           !f->has_matrices;
}

flint_mat_function fmpz_mat_mul;
EXPORT void fmpz_mat_mul(struct flint_mat *r, const struct flint_mat *u,
                         const struct flint_mat *v) {
    const struct flint_real *f = FLINT_OF_CALLER();
    INTERCEPT(is_small(f, u, v), f->fmpz_mat_mul(r, u, v), mat_mul_large(f, r, u, v));
}
