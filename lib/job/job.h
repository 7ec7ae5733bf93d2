/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job is one operation as plain data: its number in lib/job/ops.def, parameters, operands and
 * results. Operands and results are in host memory or in a device's batches. */
#ifndef MPGPU_JOB_H
#define MPGPU_JOB_H

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_divide.h"
#include "lib/calc/calc_newton.h"
#include "lib/device/kept.h"
#include "lib/expression/expression.h"
#include "lib/fixed/mandelbrot.h"

/* Operations on batches come first, then those on limbs. */
enum job_op {
#define BATCH(name, row, shape, made_by) JOB_##name,
#include "lib/job/ops.def"
    JOB_BATCH_OPS,
    JOB_BEFORE_LIMBS = JOB_BATCH_OPS - 1,
#define LIMBS(name, what) JOB_##name,
#include "lib/job/ops.def"
    JOB_FIRST_COMPOSITE,
    JOB_BEFORE_COMPOSITE = JOB_FIRST_COMPOSITE - 1,
#define COMPOSITE(name, longest) JOB_##name,
#include "lib/job/ops.def"
    JOB_FIRST_ON_DEVICE,
    JOB_BEFORE_ON_DEVICE = JOB_FIRST_ON_DEVICE - 1,
#define ON_DEVICE(name) JOB_##name,
#include "lib/job/ops.def"
    JOB_FIRST_STORE,
    JOB_BEFORE_STORE = JOB_FIRST_STORE - 1,
#define STORE(name) JOB_##name,
#include "lib/job/ops.def"
    JOB_OPS
};

enum { JOB_OPERANDS = KEPT_OPERANDS, JOB_RESULTS = KEPT_RESULTS, JOB_PARAMETERS = 5 };

/* `count` numbers of n limbs each, one after the other: in host memory at `host`, or in the device
 * memory `mem`. `count` is 0 for an absent operand or result. */
struct job_ref {
    uint64_t *host; /* operands are only read */
    gpu_mem mem;
    uint64_t count, n;
    uint64_t delivered; /* results on the host: limbs delivered by the recipe */
    uint64_t residue;   /* of the batch read as one number, if has_residue (lib/device/kept.h) */
    bool has_residue;
    bool is_text; /* n bytes in host memory, not limbs */
};

/* Returns the bytes of an operand or result. */
static inline size_t job_bytes(const struct job_ref *x) {
    return x->count * x->n * (x->is_text ? 1 : sizeof(uint64_t));
}

/* Returns true if both are the same range of host memory. */
static inline bool job_is_same(const struct job_ref *u, const struct job_ref *v) {
    return u->host == v->host && job_bytes(u) == job_bytes(v);
}

struct calc_cut;
struct tree_plan;

struct job {
    enum job_op op;
    unsigned operands, results;
    uint32_t devices; /* of another process, which may run it; 0: as addressed */
    uint64_t parameter[JOB_PARAMETERS];
    uint64_t answer; /* bits of enum job_answer; batch_look: zeros, and even numbers << 32;
                        store_alloc: the handle of the memory */
    struct job_ref u[JOB_OPERANDS], r[JOB_RESULTS];
    struct expression e; /* of JOB_batch_expression */
};

/* Returns the bytes of all operands and results. */
static inline size_t job_host_bytes(const struct job *job) {
    size_t bytes = 0;
    for (unsigned k = 0; k < job->operands; k++)
        bytes += job_bytes(&job->u[k]);
    for (unsigned k = 0; k < job->results; k++)
        bytes += job_bytes(&job->r[k]);
    return bytes;
}

/* Returns the bytes that a job on device memory allocates, fills, copies or frees. */
static inline size_t job_store_bytes(const struct job *job) {
    const struct job_ref *mem = job->op == JOB_store_fill ? &job->r[0] : &job->u[0];
    return sizeof(uint64_t) *
           (job->op == JOB_store_alloc ? job->parameter[0] : mem->n - job->parameter[0]);
}

/* Returns n limbs at p in host memory, or an absent operand if p is NULL. */
static inline struct job_ref job_limbs(const uint64_t *p, uint64_t n) {
    return p ? (struct job_ref){.host = (uint64_t *)p, .count = 1, .n = n} : (struct job_ref){0};
}

/* Returns n bytes at p in host memory, or an absent operand if n is 0. */
static inline struct job_ref job_text(const void *p, uint64_t n) {
    return (struct job_ref){.host = (uint64_t *)p, .count = n > 0, .n = n, .is_text = true};
}

/* Parameters. JOB_batch_sum: bit k of the first means that operand k is subtracted; the second is 1
 * if carries are borrows of a difference. JOB_batch_mod_inv: the first is 1 if moduli may be even.
 * Operations modulo numbers: the first has the bits below. */
enum { JOB_MINUS = 0, JOB_BORROWS = 1, JOB_HAS_EVEN = 0, JOB_METHOD = 0 };
enum {
    JOB_BY_BARRETT = 1, /* JOB_KNOWN has the constants of kernels/modular/barrett.h */
    JOB_IS_NORMAL = 2   /* and each modulus has its highest bit set */
};

/* Parameters of operations on limbs. Only the engine sets the last two. JOB_OLD: limbs of the
 * result that are added to the product. JOB_MAY_BE_CUT: 1 if the job should end with OUTCOME_MEMORY
 * when memory is so short that multiplying parts of the operands would be faster. */
enum { JOB_LIMB = 0, JOB_SUBTRACT = 1, JOB_OLD = 2, JOB_MAY_BE_CUT = 3 };

/* Parameters of composite operations.  Bit lengths do not count leading zeros. */
enum {
    JOB_ZEROS = 0,          /* tdiv_qr: zero limbs below the numerator */
    JOB_NUMERATOR_BITS = 1, /* the numerator's bits, including those zeros */
    JOB_DIVISOR_BITS = 2,
    JOB_WANTS = 3,        /* tdiv_qr, sqrtrem, rootrem: the JOB_IS_ bits of the wanted answers */
    JOB_DEGREE = 0,       /* sqrtrem, rootrem */
    JOB_BITS = 1,         /* sqrtrem, rootrem: the operand's bits */
    JOB_IS_SECOND = 2,    /* rootrem: JOB_IS_ABOVE was the answer to the same job */
    JOB_MODULUS_BITS = 0, /* powm */
    JOB_EXPONENT_BITS = 1,
    JOB_IS_REDUCED = 2, /* powm: 1 if the base has no more bits than the modulus */
    JOB_POWER = 0,      /* pow: the exponent */
    JOB_STEPS = 1,      /* pow, fibonacci: the second operand or pair has index >> steps */
    JOB_SHIFT = 2,      /* pow: the power is shifted up by this many bits, below 64 */
    JOB_INDEX = 0,      /* fibonacci */
    JOB_KIND = 2,       /* enum calc_fibonacci_kind */
    JOB_SKIP = 0,       /* mul_part: low limbs that the result omits; JOB_SUBTRACT applies */
    JOB_RADIX = 0,      /* get_str, set_str: the base, 3 to 255, no power of two */
    JOB_CHARACTERS = 1, /* a kind of kernels/radix/text.h */
    JOB_LEAST =
        2, /* get_str: lower bound of the digits; the result has as much room, or one more */
    JOB_POWER_BITS = 3, /* bit length of base^d for the d digits of all leaves */
    JOB_LEVELS = 0,     /* product_tree: 2^levels rows of limbs */
    JOB_START_BITS = 1, /* the length of the start */
    JOB_TAIL = 2        /* set_str: the characters after the last whole limb */
};

/* Parameters of trees. */
enum {
    JOB_LEAVES = 0,        /* the leaves of a product tree, without padding */
    JOB_LEAF_LIMBS = 1,    /* the limbs of each leaf, an even number */
    JOB_FROM = 2,          /* tree_build: limbs of the root below JOB_TOP, an even number */
    JOB_ROOT_BITS = 2,     /* tree_remainders: of root times check modulus */
    JOB_DIVIDEND_BITS = 3, /* of the dividend */
    JOB_LEAVES_RESIDUE = 4 /* the leaves' residue, set by tree_build */
};

enum job_answer {
    JOB_IS_LESS = 1,       /* tdiv_qr: the quotient is less than the remainder */
    JOB_IS_EXACT = 2,      /* the remainder is 0 */
    JOB_IS_NEGATIVE = 4,   /* mul_1, mul_part: the result is |a negative number| */
    JOB_IS_ABOVE = 8,      /* rootrem: no results; repeat the job with JOB_IS_SECOND */
    JOB_IS_SHORTER = 16,   /* get_str: the text has one digit less than the result's room */
    JOB_IS_NO_NUMBER = 32, /* set_str: a character is no digit; there is no result */
    JOB_CARRY = 64,        /* add, mulmod_bnp1: the limb above the result is 1; sub: the borrow */
    JOB_RESULT_IS_NEGATIVE = 128, /* tree_split: this bit for p, the next ones for q and t */
    JOB_IS_COMPLEMENT = 1024      /* mul_1, from the engine: the result is B^n - |the number| */
};

/* Parameters of jobs on device memory. store_alloc allocates memory of any content. store_fill
 * copies the operand, or zeros without one, to the end of the result. store_fetch copies the end of
 * the operand to the result. store_free frees the operand. */
enum {
    JOB_LIMBS = 0, /* store_alloc: of the memory */
    JOB_AT = 0     /* store_fill, store_fetch: limbs of the memory below that end */
};

/* Indices of operands and results. */
enum {
    JOB_NUMERATOR = 0,
    JOB_DIVISOR = 1,
    JOB_QUOTIENT = 0,
    JOB_REMAINDER = 1, /* also of roots */
    JOB_ROOT = 0,
    JOB_BASE = 0,
    JOB_EXPONENT = 1,
    JOB_START = 1,            /* pow: the base to the power JOB_POWER >> JOB_STEPS */
    JOB_MODULUS = 2,          /* sums, products and powers; JOB_KNOWN follows */
    JOB_KNOWN = 3,            /* its constants; absent: too long for the device */
    JOB_KINDS = 1,            /* a result of JOB_batch_mod_known */
    JOB_ADDEND = 2,           /* mul_part; may be absent */
    JOB_FIRST_OF_DIVISOR = 2, /* tdiv_qr: first_reciprocal of the divisor */
    JOB_FIRST_OF_ROOT = 1,    /* sqrtrem, rootrem: calc_newton_begin */
    JOB_FIRST_OF_MODULUS = 3, /* powm: first_reciprocal with CALC_LAZY_BITS */
    JOB_LEAF = 1,             /* get_str, set_str: base^digits of a leaf */
    JOB_FIRST_OF_POWER = 2    /* get_str: first_reciprocal of the power above */
};

/* Indices for trees. The residue of a tree's memory is the root's. tree_build sets it, and the
 * residue of the leaves in host memory. Level 0 of the tree, with padding, must be in the tree's
 * memory before. tree_remainders computes the dividend modulo each leaf; without a dividend, the
 * cofactors root / leaf modulo the leaves. */
enum {
    JOB_TREE = 0,          /* a result of tree_build, elsewhere the first operand */
    JOB_TOP = 1,           /* tree_build: the root from limb JOB_FROM up */
    JOB_SCALE = 1,         /* tree_remainders: the check's modulus, two limbs */
    JOB_FIRST_OF_TREE = 2, /* first_reciprocal of root times JOB_SCALE */
    JOB_DIVIDEND = 3,      /* not 0; has a residue if the tree has one */
    JOB_SIGNS = 1,         /* tree_split: signs of the numbers (lib/trees/tree_split.h) */
    JOB_NODE_BITS = 2      /* three bit lengths for each lowest node */
};
enum { JOB_MOST_SPLIT_LEVELS = 40 };

#define BATCH(name, row, shape, made_by)                                                           \
    bool job_fits_##shape(const struct job *job);                                                  \
    bool job_takes_##made_by(const struct job *job);
#define LIMBS(name, what) bool job_fits_##name(const struct job *job);
#define COMPOSITE(name, longest) ON_DEVICE(name)
#define ON_DEVICE(name)                                                                            \
    bool job_fits_##name(const struct job *job);                                                   \
    void recipe_##name(struct calc *c, struct job *job);
#define STORE(name) bool job_fits_##name(const struct job *job);
#include "lib/job/ops.def"

/* The most limbs of a batch. */
#define JOB_MOST_LIMBS (SIZE_MAX / 4 / sizeof(uint64_t))

/* Returns true if an operation modulo numbers uses Barrett's method. */
static inline bool job_is_by_barrett(const struct job *job) {
    return job->parameter[JOB_METHOD] & JOB_BY_BARRETT;
}

/* Returns the limbs of a modulus's constants by Barrett's or Montgomery's method, for n limbs. */
uint64_t job_known_limbs(uint64_t n, bool is_by_barrett);

/* Returns true if the counts and lengths of operands and results, and the expression, are those of
 * one operation. Accepts any lengths, counts and parameters; host memory must be readable. job_run
 * refuses a job that does not fit; the other functions require one that fits. */
bool job_fits(const struct job *job);

/* Returns the limbs of the longest product of a composite operation that two devices may share, or
 * 0. */
uint64_t job_longest(const struct job *job);

/* Returns true if the device accepts a job of this length. */
bool job_takes(const struct job *job);

/* Computes the job on a device. Returns OUTCOME_DONE, or why it failed: operands in host memory are
 * then unchanged, and results are undefined. With JOB_IS_ABOVE or JOB_IS_NO_NUMBER results are also
 * undefined. Any thread.
 * A job that names device memory runs on the device that the thread is bound to, which must own
 * that memory. Batch operations with one or two operands and one result also take numbers in host
 * memory.
 * A result in host memory may overlap operands. Results in device memory overlap nothing, and no
 * two results overlap.
 * With verify:device the residues of operands that have one are compared. The residues of results
 * that are batches or trees are set. */
enum outcome job_run(struct job *job);

/* Returns true if composite operations may run on a device: one is open, and `verify` does not make
 * the host check each product. */
bool job_composites_run(void);

/* The result of the host's check. */
enum verify_result { VERIFY_GOOD, VERIFY_WRONG, VERIFY_NO_MEMORY };

/* Counts a fault of the device and writes a message if a result of `what`, of un and vn limbs, is
 * wrong.  Returns what job_run does. */
enum outcome job_judge(enum verify_result result, const char *what, size_t un, size_t vn);

/* ---- composite operations on either engine (lib/calc/calc.h), and operations on the device alone
 */

/* Computes a composite job with the functions of *c, between job_begin and job_end. */
void job_work(struct calc *c, void *job);

/* Returns true if two results in host memory overlap each other. */
bool job_results_overlap(const struct job *job);

/* Copies *job to *apart, with separate memory for results that overlap operands. Returns false
 * without memory; otherwise job_end must follow. */
bool job_begin(struct job *apart, struct job *job);

/* If is_done, puts results and answers of *apart into *job, with zeros up to the results' lengths.
 * Releases the memory. */
void job_end(struct job *job, struct job *apart, bool is_done);

/* Copies what running *from has set: answers, residues, delivered limbs. Counts of operands and
 * results do not matter, so either job may be in memory that another process writes. */
void job_take_answers(struct job *job, const struct job *from);

/* ---- for recipes */

/* Downloads the lowest r[k].n limbs of x to result k. Does nothing if result k is absent. */
void job_deliver(struct calc *c, struct job *job, unsigned k, struct number x);

/* Returns an operand in host memory as a number of `words` words. */
struct number job_operand(struct calc *c, const struct job_ref *u, uint64_t words);

/* Uploads a first approximation. The check of the result covers errors in it. */
struct number job_first(struct calc *c, const struct job_ref *u);

/* Returns true if the job names no device memory. Returns false for programs over numbers, which
 * may. */
bool job_crosses(const struct job *job);

/* Returns true for an operation on limbs. */
static inline bool job_is_on_limbs(const struct job *job) {
    return job->op >= JOB_BATCH_OPS && job->op < JOB_FIRST_COMPOSITE;
}

/* Returns true if the job has these numbers of operands and results. */
static inline bool job_has(const struct job *job, unsigned operands, unsigned results) {
    return job->operands == operands && job->results == results;
}

/* Returns true if result k is absent or has n limbs. */
static inline bool job_is_result(const struct job *job, unsigned k, uint64_t n) {
    return job->r[k].count == 0 || job->r[k].n == n;
}

/* Returns true if n limbs with a highest limb that is not 0 may have this number of bits. */
static inline bool job_is_length(uint64_t bits, uint64_t n) {
    return bits > 64 * (n - 1) && bits <= 64 * n;
}

/* Returns true for numbers or a text in host memory, short enough to count their bits. */
static inline bool job_has_countable_bits(const struct job_ref *x) {
    return x->host && x->count * x->n <= JOB_MOST_LIMBS >> 8;
}

/* Returns true for such numbers, and for device memory. */
static inline bool job_is_on_host(const struct job_ref *x) {
    return job_has_countable_bits(x) && !x->is_text;
}
static inline bool job_is_on_device(const struct job_ref *x) {
    return !x->host && x->mem.h != 0 && !x->is_text;
}

/* Returns the words that a JOB_mul_part needs for the product; with an addend, for the sum and a
 * limb for its carry. */
uint64_t job_part_words(const struct job *job);

/* Returns how get_str or set_str cuts the digits of *text (lib/calc/calc_text.h). */
struct calc_cut job_cut(const struct job *job, const struct job_ref *text);

/* Returns true for powers modulo numbers. */
static inline bool job_is_modular_power(const struct job *job) {
    return job->op == JOB_batch_mod_pow || job->op == JOB_batch_mod_pow_sec;
}

/* Returns true if job_fits reads the operands, because they are tables of plain data. */
static inline bool job_has_tables(const struct job *job) {
    return job->op == JOB_numbers || job->op == JOB_mandelbrot;
}

/* Returns the plan of the job's tree, or NULL if there is none. The caller frees the plan. */
struct tree_plan *job_tree_plan(const struct job *job);

/* Returns true if the job computes remainders of a dividend, not cofactors. */
static inline bool job_has_dividend(const struct job *job) {
    return job->operands > JOB_DIVIDEND;
}

/* Returns the limbs of JOB_FIRST_OF_TREE for a root of root_words words. */
uint64_t job_tree_first_limbs(const struct job *job, uint64_t root_words);

/* Returns true if mul_part is faster than a product and a copy or sum on the host. */
static inline bool job_part_pays(uint64_t un, uint64_t vn) {
    return un + vn >= 1 << 14;
}

/* Returns true if the device computes the powm within a few seconds. */
bool job_powm_is_short(const struct job *job);

/* Operands of product_tree (lib/calc/calc_tree.h): the limbs row by row; the bits of each column's
 * product; the groups; optionally a factor of the whole product. */
enum { JOB_GROUP_LIMBS = 3 };

/* mandelbrot: the operand is a struct mandelbrot_view. The results are arrays with 32 bits for each
 * pixel, as bytes. Returns true if *v is possible and has the pixels of the results. */
bool job_is_view(const struct job *job, const struct mandelbrot_view *v);

/* Returns true if the recipes take a k-th root of a number of `bits` bits, k >= 2. */
bool job_root_is_possible(uint64_t bits, uint64_t k);

/* The most limbs of a root's first approximation. */
enum { JOB_ROOT_FIRST_LIMBS = 2 * (2 * 256 + 1) };

/* Return the limbs, including possible leading zeros: of a root of a number of `bits` bits; of its
 * remainder; of the result of pow; of a result of fibonacci. */
uint64_t job_root_limbs(uint64_t bits, uint64_t k);
uint64_t job_root_rest_limbs(uint64_t bits, uint64_t k);
uint64_t job_power_limbs(const struct job *job);
uint64_t job_fibonacci_limbs(const struct job *job);

/* Return the plan of tdiv_qr, powm, or a root for operands of these bit lengths. */
struct calc_divisor job_divisor(const struct job *job);
struct calc_divisor job_modulus(const struct job *job);
struct calc_root_plan job_root_plan(const struct job *job);

#endif
