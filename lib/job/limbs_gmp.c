/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes jobs on limbs by GMP, and checks the device's results on the host. */
#include "lib/job/limbs_gmp.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

static mp_size_t size_of(const struct job_ref *x) {
    return (mp_size_t)x->n;
}

static void set_answer(struct job *j, enum job_answer what, bool is_so) {
    j->answer = is_so ? what : 0;
}

/* ---- functions that compute by GMP */

static void multiply(mp_ptr rp, const struct job *j) {
    real.mpn_mul(rp, j->u[0].host, size_of(&j->u[0]), j->u[1].host, size_of(&j->u[1]));
}

bool gmp_mul(struct job *j) {
    multiply(j->r[0].host, j);
    set_answer(j, JOB_CARRY, false);
    return true;
}

static void reduce_low(struct job *j, mp_srcptr pp, size_t pn) {
    size_t n = min_u64(pn, j->r[0].n);
    memcpy(j->r[0].host, pp, n * sizeof *pp);
    memset(j->r[0].host + n, 0, (j->r[0].n - n) * sizeof *pp);
    set_answer(j, JOB_CARRY, false);
}

/* Sets the result to the product {pp, pn} modulo B^rn - 1 (B = 2^64): the sum of its low rn limbs
 * and the limbs above them, plus the carry of that sum. Adding the carry gives no second carry,
 * since both parts together are at most 2 (B^rn - 1). */
static void reduce_minus(struct job *j, mp_srcptr pp, size_t pn) {
    const mp_size_t low = size_of(&j->r[0]), high = (mp_size_t)pn - low;
    mp_ptr rp = j->r[0].host;
    mpn_add_1(rp, rp, low, mpn_add(rp, pp, low, pp + low, high));
    set_answer(j, JOB_CARRY, false);
}

static void reduce_plus(struct job *j, mp_srcptr pp, size_t pn) {
    const mp_size_t low = size_of(&j->r[0]), high = (mp_size_t)pn - low;
    mp_ptr rp = j->r[0].host;
    if (high <= 0)
        reduce_low(j, pp, pn);
    else
        set_answer(j, JOB_CARRY, mpn_add_1(rp, rp, low, mpn_sub(rp, pp, low, pp + low, high)) != 0);
}

void limbs_reduce(struct job *j, mp_srcptr pp) {
    const size_t pn = j->u[0].n + j->u[1].n;
    if (j->op == JOB_mulmod_bnm1)
        reduce_minus(j, pp, pn);
    else if (j->op == JOB_mulmod_bnp1)
        reduce_plus(j, pp, pn);
    else
        reduce_low(j, pp, pn);
}

static bool multiply_in_ring(struct job *j) {
    const size_t bytes = (j->u[0].n + j->u[1].n) * sizeof(mp_limb_t);
    mp_ptr pp = malloc(bytes);
    if (!pp)
        return false;
    multiply(pp, j);
    limbs_reduce(j, pp);
    wipe_free(pp, bytes);
    return true;
}

bool gmp_mullo(struct job *j) {
    return multiply_in_ring(j);
}

bool gmp_mulmod_bnm1(struct job *j) {
    return multiply_in_ring(j);
}

bool gmp_mulmod_bnp1(struct job *j) {
    return multiply_in_ring(j);
}

bool gmp_add(struct job *j) {
    set_answer(j, JOB_CARRY,
               mpn_add(j->r[0].host, j->u[0].host, size_of(&j->u[0]), j->u[1].host,
                       size_of(&j->u[1])) != 0);
    return true;
}

bool gmp_sub(struct job *j) {
    set_answer(j, JOB_CARRY,
               mpn_sub(j->r[0].host, j->u[0].host, size_of(&j->u[0]), j->u[1].host,
                       size_of(&j->u[1])) != 0);
    return true;
}

bool gmp_mul_1(struct job *j) {
    const struct job_ref *u = &j->u[0], *w = &j->u[1], *r = &j->r[0];
    const mp_size_t un = size_of(u), rn = size_of(r);
    const size_t wn = j->operands > 1 ? w->n : 0;
    memcpy(r->host, w->host, wn * sizeof *r->host);
    memset(r->host + wn, 0, (r->n - wn) * sizeof *r->host);
    mp_ptr above = r->host + un;
    set_answer(j, JOB_IS_NEGATIVE, false);
    if (!j->parameter[JOB_SUBTRACT]) {
        mpn_add_1(above, above, rn - un,
                  mpn_addmul_1(r->host, u->host, un, j->parameter[JOB_LIMB]));
        return true;
    }
    mpn_sub_1(above, above, rn - un, mpn_submul_1(r->host, u->host, un, j->parameter[JOB_LIMB]));
    set_answer(j, JOB_IS_NEGATIVE, r->host[rn - 1] != 0);
    if (j->answer)
        mpn_neg(r->host, r->host, rn);
    return true;
}

bool limbs_gmp(struct job *job) {
    if (!real.mpn_mul)
        return false;
    switch (job->op) {
#define LIMBS(name, what)                                                                          \
    case JOB_##name:                                                                               \
        return gmp_##name(job);
#include "lib/job/ops.def"
    default:
        return false;
    }
}

/* ---- residues */

static mp_limb_t residue(const struct job *j, unsigned k, mp_limb_t m) {
    return j->operands > k ? mpn_mod_1(j->u[k].host, size_of(&j->u[k]), m) : 0;
}

static bool is_residue_right(const struct job *j) {
    const struct check_modulus q = tables_check_modulus();
    const bool is_square = j->operands > 1 && job_is_same(&j->u[1], &j->u[0]);
    const mp_limb_t r = mpn_mod_1(j->r[0].host, size_of(&j->r[0]), q.m), u = residue(j, 0, q.m),
                    v = is_square ? u : residue(j, 1, q.m),
                    above = j->answer & JOB_CARRY ? modulus_residue_of_power(2 * j->r[0].n, q) : 0;
    mp_limb_t uv;
    switch (j->op) {
    case JOB_add:
        return residue_plus(r, above, q.m) == residue_plus(u, v, q.m);
    case JOB_sub:
        return residue_plus(r, v, q.m) == residue_plus(u, above, q.m);
    /* A negative difference v - u * limb is stored as its absolute value r, so r + v = u * limb. */
    case JOB_mul_1:
        uv = modulus_mul(u, j->parameter[JOB_LIMB], q);
        return j->answer & JOB_IS_NEGATIVE  ? residue_plus(r, v, q.m) == uv
               : j->parameter[JOB_SUBTRACT] ? residue_plus(r, uv, q.m) == v
                                            : r == residue_plus(uv, v, q.m);
    default:
        return r == modulus_mul(u, v, q);
    }
}

/* ---- */

static enum verify_result compare(const struct job *job) {
    struct job right = *job;
    enum verify_result result = VERIFY_NO_MEMORY;
    right.r[0].host = malloc(job_bytes(&job->r[0]));
    if (right.r[0].host && limbs_gmp(&right))
        result = right.answer == job->answer &&
                         mpn_cmp(right.r[0].host, job->r[0].host, size_of(&job->r[0])) == 0
                     ? VERIFY_GOOD
                     : VERIFY_WRONG;
    wipe_free(right.r[0].host, job_bytes(&job->r[0]));
    return result;
}

enum verify_result limbs_verify(const struct job *job) {
    return mpgpu_conf.verify == VERIFY_FULL ? compare(job)
           : is_residue_right(job)          ? VERIFY_GOOD
                                            : VERIFY_WRONG;
}

bool limbs_is_in_ring(const struct job *job) {
    return job->op == JOB_mullo || job->op == JOB_mulmod_bnm1 || job->op == JOB_mulmod_bnp1;
}
