/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job is one operation as plain data: its number in lib/job/ops.def, parameters, and where its
 * operands and results are.  It has no pointers. */
#ifndef MPGPU_JOB_H
#define MPGPU_JOB_H

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/device/kept.h"
#include "lib/expression/expression.h"

enum job_op {
#define OP(name, row, shape, made_by) JOB_##name,
#include "lib/job/ops.def"
#undef OP
    JOB_OPS
};

enum { JOB_OPERANDS = KEPT_OPERANDS, JOB_RESULTS = KEPT_RESULTS, JOB_PARAMETERS = 2 };

/* `count` numbers of n limbs each, one behind the other, in `mem` of the device.  A result that is
 * not wanted has no numbers.  residue: of all of them as one number, where that is known
 * (lib/device/kept.h). */
struct job_batch {
    gpu_mem mem;
    uint64_t count, n;
    uint64_t residue;
    bool has_residue;
};

struct job {
    enum job_op op;
    unsigned operands, results;
    uint64_t parameter[JOB_PARAMETERS];
    struct job_batch u[JOB_OPERANDS], r[JOB_RESULTS];
    struct expression e; /* of JOB_batch_expression */
};

/* Parameters.  JOB_batch_sum: bit k of the first, operand k is subtracted; the second is 1 where
 * carries are those of a difference.  JOB_batch_mod_inv: the first is 1 if moduli may be even.
 * Operations modulo numbers: the first has these bits. */
enum { JOB_MINUS = 0, JOB_BORROWS = 1, JOB_HAS_EVEN = 0, JOB_METHOD = 0 };
enum {
    JOB_BY_BARRETT = 1, /* what is known of the moduli is kernels/modular/barrett.h's */
    JOB_IS_NORMAL = 2   /* and each has its highest bit */
};

/* Operands and results by their places. */
enum {
    JOB_NUMERATOR = 0,
    JOB_DIVISOR = 1,
    JOB_QUOTIENT = 0,
    JOB_REMAINDER = 1,
    JOB_MODULUS = 2, /* of sums, products and powers; then what is known of it */
    JOB_KNOWN = 3,   /* none: the device takes no moduli so long */
    JOB_KINDS = 1    /* a result of JOB_batch_mod_known */
};

/* What the engine knows of an operation.  takes: whether kernels take numbers so long; bytes: what
 * the watchdog counts, at least what they touch; run: after the known answers of what computes it,
 * checked as `verify` says, to the end. */
struct recipe {
    bool (*takes)(const struct job *job);
    size_t (*bytes)(const struct job *job);
    enum gpu_status (*run)(struct context *s, const struct job *job);
    enum stats_way way;
};

#define OP(name, row, shape, made_by) bool job_fits_##shape(const struct job *job);
#include "lib/job/ops.def"
#undef OP
#define OP(name, row, shape, made_by) extern const struct recipe recipe_##made_by;
#include "lib/job/ops.def"
#undef OP

/* The most limbs of a batch. */
#define JOB_MOST_LIMBS (SIZE_MAX / 4 / sizeof(uint64_t))

/* Returns the method of an operation modulo numbers. */
static inline bool job_is_by_barrett(const struct job *job) {
    return job->parameter[JOB_METHOD] & JOB_BY_BARRETT;
}

/* Limbs of what is known of a modulus of n limbs, by Barrett's or Montgomery's method. */
uint64_t job_known_limbs(uint64_t n, bool is_by_barrett);

/* Returns true if the counts and lengths of operands and results, and the expression, are those of
 * one operation.  Any content of *job is allowed; the other functions require that this is true. */
bool job_fits(const struct job *job);

/* Computes it on the device that the thread is bound to, where its numbers lie; results are none of
 * the operands.  With verify:device the residues of its operands are compared, and those of its
 * results set.  OUTCOME_DONE, or why not: results hold anything then.  Any thread. */
enum outcome job_run(struct job *job);

#endif
