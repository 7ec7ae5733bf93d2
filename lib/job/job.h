/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job is one operation as plain data, so that another process can run it. It contains the
 * operation's number in lib/job/ops.def, parameters, operands and results. Operands and results are
 * in host memory or in device memory. */
#ifndef MPGPU_JOB_H
#define MPGPU_JOB_H

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/calc/calc_divide.h"
#include "lib/calc/calc_newton.h"
#include "lib/device/kept.h"
#include "lib/expression/expression.h"
#include "lib/fixed/mandelbrot.h"
#include "lib/matrix/matrix.h"
#include "lib/matrix/matrix_system.h"

/* The operations in the order of ops.def: operations on batches, operations on limbs, composite
 * operations, operations that only the device computes, and operations on device memory. */
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

/* An operand or result: `count` numbers of n limbs each, one after the other, in host memory at
 * `host` or in the device memory `mem`. `count` is 0 if it is absent. */
struct job_ref {
    uint64_t *host; /* a job only reads an operand's memory, although the type is not const */
    gpu_mem mem;
    uint64_t count, n;
    uint64_t delivered; /* for a result in host memory: how many limbs were downloaded */
    /* set if has_residue: the residue of the operand or result, read as one long number */
    uint64_t residue;
    bool has_residue;
    bool is_text; /* true: n bytes of text in host memory instead of n limbs */
};

/* Returns the bytes of an operand or result. */
static inline size_t job_bytes(const struct job_ref *x) {
    return x->count * x->n * (x->is_text ? 1 : sizeof(uint64_t));
}

/* Returns true if u and v are the same range of host memory. */
static inline bool job_is_same(const struct job_ref *u, const struct job_ref *v) {
    return u->host == v->host && job_bytes(u) == job_bytes(v);
}

struct calc_cut;
struct tree_plan;

struct job {
    enum job_op op;
    unsigned operands, results;
    /* bit mask of the server's devices among which the server may choose; 0: the device to which
     * the request is sent */
    uint32_t devices;
    uint64_t parameter[JOB_PARAMETERS];
    /* bits of enum job_answer. For batch_look: the count of zeros, plus the count of even numbers
     * << 32. For store_alloc: the handle of the memory. */
    uint64_t answer;
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

/* Returns an operand or result of n limbs at p in host memory, or an absent one if p is NULL. */
static inline struct job_ref job_limbs(const uint64_t *p, uint64_t n) {
    return p ? (struct job_ref){.host = (uint64_t *)p, .count = 1, .n = n} : (struct job_ref){0};
}

/* Returns an operand or result of n bytes of text at p in host memory, or an absent one if n is
 * 0. */
static inline struct job_ref job_text(const void *p, uint64_t n) {
    return (struct job_ref){.host = (uint64_t *)p, .count = n > 0, .n = n, .is_text = true};
}

/* Indices of parameters of operations on batches. batch_sum: if bit k of JOB_MINUS is set, operand
 * k is subtracted; JOB_BORROWS is 1 if carries are borrows of a difference. batch_mod_inv:
 * JOB_HAS_EVEN is 1 if moduli may be even. Modular operations: JOB_METHOD is a bit mask of
 * JOB_BY_BARRETT and JOB_IS_NORMAL. */
enum { JOB_MINUS = 0, JOB_BORROWS = 1, JOB_HAS_EVEN = 0, JOB_METHOD = 0 };
/* Indices of parameters of matrix_mul, which multiplies a matrix of JOB_ROWS x JOB_INNER entries by
 * one of JOB_INNER x JOB_COLUMNS entries. Matrices are stored row by row in two's complement.
 * Absolute values of the factors' entries are at most 2^JOB_U_ENTRY_BITS and 2^JOB_V_ENTRY_BITS. */
enum { JOB_ROWS, JOB_INNER, JOB_COLUMNS, JOB_U_ENTRY_BITS, JOB_V_ENTRY_BITS };
/* Indices of parameters of matrix_solve, which solves A X = B. A has JOB_SIDE rows and columns; B
 * has JOB_SYSTEM_COLUMNS columns, and is absent if there are none. Absolute values of entries are
 * at most 2^JOB_A_BITS in A and 2^JOB_B_BITS in B. The result contains the numerators det(A) X, row
 * by row, and then det(A), in two's complement. All are 0 if det(A) is 0. */
enum { JOB_SIDE, JOB_SYSTEM_COLUMNS, JOB_A_BITS, JOB_B_BITS };
enum {
    JOB_BY_BARRETT = 1, /* Barrett's method; the operand JOB_KNOWN has its constants */
    JOB_IS_NORMAL = 2   /* each modulus has its highest bit set */
};

/* Indices of parameters of poly_mul. Operands and the result consist of JOB_POLYS polynomials of
 * equal length; coefficient i of polynomial k is number k * length + i. The result contains the
 * product's coefficients from number JOB_LOW.
 *
 * Each coefficient of the product fits in JOB_SLOT words of 32 bits. A number of the result may
 * have up to three limbs more than that. If JOB_POLY_LIMB is not 0, all operands are below this
 * limb, and the result is reduced modulo it. If JOB_IS_SIGNED is 1, coefficients are in two's
 * complement, and JOB_SLOT includes a sign; otherwise they are unsigned. */
enum { JOB_POLYS = 0, JOB_SLOT = 1, JOB_LOW = 2, JOB_IS_SIGNED = 3, JOB_POLY_LIMB = 4 };

/* Indices of parameters of operations on limbs. Only the engine sets JOB_OLD and JOB_MAY_BE_CUT.
 * JOB_OLD: the first JOB_OLD limbs of the result are added to the product. JOB_MAY_BE_CUT: 1 if the
 * caller can multiply parts of the operands instead. If memory is so short that parts would be
 * faster, the job ends with OUTCOME_MEMORY. */
enum { JOB_LIMB = 0, JOB_SUBTRACT = 1, JOB_OLD = 2, JOB_MAY_BE_CUT = 3 };

/* Indices of parameters of composite operations. Bit lengths do not count leading zeros. */
enum {
    JOB_ZEROS = 0,          /* tdiv_qr: count of zero limbs to append below the numerator */
    JOB_NUMERATOR_BITS = 1, /* tdiv_qr: the numerator's bits, appended zero limbs included */
    JOB_DIVISOR_BITS = 2,
    /* tdiv_qr, sqrtrem, rootrem: bit mask of the enum job_answer that the caller needs */
    JOB_WANTS = 3,
    JOB_DEGREE = 0, /* sqrtrem, rootrem */
    JOB_BITS = 1,   /* sqrtrem, rootrem: the operand's bits */
    /* rootrem: 1 if an earlier run of the same job has returned JOB_IS_ABOVE */
    JOB_IS_SECOND = 2,
    JOB_MODULUS_BITS = 0, /* powm */
    JOB_EXPONENT_BITS = 1,
    JOB_IS_REDUCED = 2, /* powm: 1 if the base has no more bits than the modulus */
    /* powm: code of the modulus's form, from calc_form_find (lib/calc/calc_form.h) */
    JOB_FORM = 3,
    JOB_POWER = 0, /* pow: the exponent */
    /* pow, fibonacci: how often the computation doubles the exponent (or index). It starts from an
     * operand: the power (or the Fibonacci numbers) for the final exponent (or index) shifted
     * right by JOB_STEPS bits. */
    JOB_STEPS = 1,
    JOB_SHIFT = 2, /* pow: bits by which the power is shifted left, below 64 */
    JOB_INDEX = 0, /* fibonacci */
    JOB_KIND = 2,  /* enum calc_fibonacci_kind */
    /* mul_part: count of lowest limbs that the result omits. mul_part also has JOB_SUBTRACT. */
    JOB_SKIP = 0,
    JOB_RADIX = 0, /* get_str, set_str: the base, 3 to 255, not a power of two */
    /* get_str, set_str: the characters used as digits, one of the kinds in kernels/radix/text.h */
    JOB_CHARACTERS = 1,
    /* get_str: a lower bound of the count of digits. The result has space for this count, or for
     * one digit more. */
    JOB_LEAST = 2,
    /* get_str: bit length of base^d. The text is divided into leaves (pieces) of equal length, and
     * d is the count of digits of all leaves together. */
    JOB_POWER_BITS = 3,
    /* product_tree: binary logarithm of the number of rows in its table of limbs
     * (lib/calc/calc_tree.h). tree_split: the count of levels */
    JOB_LEVELS = 0,
    /* product_tree: bit length of the optional operand with which the computation starts */
    JOB_START_BITS = 1,
    /* set_str: the text's last 0 to 7 characters, which do not fill a limb, as an integer */
    JOB_TAIL = 2
};

/* Parameters of trees. */
enum {
    JOB_LEAVES = 0,     /* count of a product tree's leaves, without padding */
    JOB_LEAF_LIMBS = 1, /* limbs of each leaf, an even number */
    JOB_FROM = 2,       /* tree_build: the first limb of the root to download, an even number */
    /* tree_remainders: bit length of the product of the root and the check's modulus */
    JOB_ROOT_BITS = 2,
    JOB_DIVIDEND_BITS = 3, /* tree_remainders: bit length of the dividend */
    JOB_LEAVES_RESIDUE = 4 /* tree_remainders: the residue of the leaves, as set by tree_build */
};

enum job_answer {
    JOB_IS_LESS = 1,  /* tdiv_qr: the quotient is less than the remainder */
    JOB_IS_EXACT = 2, /* the remainder is 0 */
    /* mul_1, mul_part: the result is negative, and its absolute value is stored */
    JOB_IS_NEGATIVE = 4,
    /* rootrem: there is no result; the caller must repeat the job with JOB_IS_SECOND = 1 */
    JOB_IS_ABOVE = 8,
    JOB_IS_SHORTER = 16,   /* get_str: the text has one digit less than the result has space for */
    JOB_IS_NO_NUMBER = 32, /* set_str: some character is not a digit, so there is no result */
    /* add, mulmod_bnp1: the limb above the result is 1; sub: there is a borrow */
    JOB_CARRY = 64,
    /* tree_split (binary splitting): result 0, named p, is negative. The next two bits mean the
     * same for results 1 and 2, named q and t. */
    JOB_RESULT_IS_NEGATIVE = 128,
    /* mul_1, set by the engine: the result x is negative, and B^n - |x| is stored (B = 2^64) */
    JOB_IS_COMPLEMENT = 1024
};

/* Parameters of jobs on device memory. store_alloc allocates memory without initialising it; only
 * memory that other processes can map (JOB_IS_SHARED) is filled with zeros. store_copy copies its
 * operand to its result, both in device memory. store_fill writes its operand, or zeros without an
 * operand, to its result from limb JOB_AT of the result. store_fetch copies its operand from limb
 * JOB_AT of the operand. store_free frees its operand. */
enum {
    JOB_LIMBS = 0,     /* store_alloc: limbs to allocate */
    JOB_IS_SHARED = 1, /* store_alloc: 1 for memory that other processes can map */
    /* store_fill, store_fetch: the limb of the device memory at which the copy begins */
    JOB_AT = 0
};

/* Indices of operands (u) and results (r) of a job. */
enum {
    JOB_NUMERATOR = 0,
    JOB_DIVISOR = 1,
    JOB_QUOTIENT = 0,
    JOB_REMAINDER = 1, /* also of roots */
    JOB_ROOT = 0,
    JOB_BASE = 0,
    JOB_EXPONENT = 1,
    /* pow: base^(e >> JOB_STEPS), from which the computation starts; e = parameter JOB_POWER */
    JOB_START = 1,
    JOB_MODULUS = 2, /* modular sums, products and powers: the moduli */
    /* the moduli's precomputed constants; absent if the device does not accept moduli of this
     * length */
    JOB_KNOWN = 3,
    /* the second result of batch_mod_known: whether each modulus is odd, even or zero */
    JOB_KINDS = 1,
    /* mul_part: the number to which the product is added; may be absent */
    JOB_ADDEND = 2,
    /* tdiv_qr: the host's first approximation of the divisor's reciprocal */
    JOB_FIRST_OF_DIVISOR = 2,
    JOB_FIRST_OF_ROOT = 1,    /* sqrtrem, rootrem: calc_newton_begin */
    JOB_FIRST_OF_MODULUS = 3, /* powm: the host's first approximation of the modulus's reciprocal */
    /* get_str, set_str: base^d, where d is the count of digits of one leaf (a piece of the text) */
    JOB_LEAF = 1,
    /* get_str: the host's first approximation of 1 / base^d, where d is the count of digits of all
     * leaves together (JOB_POWER_BITS) */
    JOB_FIRST_OF_POWER = 2
};

/* Indices of operands and results of jobs on trees whose levels stay in device memory. tree_build
 * requires the leaves, with padding, in level 0 of that memory. It computes the other levels, and
 * sets the residues of the root and of the leaves.
 * tree_remainders computes the dividend modulo each leaf. Without a dividend it computes the
 * cofactors: (root / leaf) modulo leaf. */
enum {
    /* the tree's memory: a result of tree_build, otherwise the first operand */
    JOB_TREE = 0,
    JOB_TOP = 1,   /* tree_build: the downloaded limbs of the root, from limb JOB_FROM up */
    JOB_SCALE = 1, /* tree_remainders: the check's random modulus, a number of two limbs */
    /* tree_remainders: the host's first approximation of 1 / (root * JOB_SCALE) */
    JOB_FIRST_OF_TREE = 2,
    /* tree_remainders: the dividend, not 0; it must have a residue if the tree has one */
    JOB_DIVIDEND = 3,
    /* tree_split: signs of the numbers at the leaves (lib/trees/tree_split.h) */
    JOB_SIGNS = 1,
    /* tree_split: upper bounds of the bit lengths of the numbers p, q and t of each node of the
     * lowest level */
    JOB_NODE_BITS = 2
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

/* The most limbs that a batch may have. */
#define JOB_MOST_LIMBS (SIZE_MAX / 4 / sizeof(uint64_t))

/* Returns the limbs of a number in two's complement whose absolute value is at most 2^bits. */
static inline size_t job_entry_limbs(uint64_t bits) {
    return (size_t)((bits + 1) / 64 + 1);
}

/* Returns the sizes of the product that matrix_mul computes. Does not set the struct's members for
 * device memory. */
struct matrix_operation job_matrices(const struct job *job);

/* Returns the sizes of the system that matrix_solve solves. Does not set the struct's members for
 * device memory. */
struct matrix_system job_system(const struct job *job);

/* Returns true if an operation modulo numbers uses Barrett's method. */
static inline bool job_is_by_barrett(const struct job *job) {
    return job->parameter[JOB_METHOD] & JOB_BY_BARRETT;
}

/* Returns the limbs of the precomputed constants of a modulus of n limbs, for Barrett's or
 * Montgomery's method. */
uint64_t job_known_limbs(uint64_t n, bool is_by_barrett);

/* Returns true if the counts and lengths of operands and results, and the expression, are possible
 * for the job's operation. The job's members may have any values, but host memory must be readable.
 * job_run refuses a job that does not fit; all other functions require a job that fits. */
bool job_fits(const struct job *job);

/* Returns the limbs of the longest product of a composite operation. Returns 0 if two devices
 * cannot share the operation. */
uint64_t job_longest(const struct job *job);

/* Returns true if the device's kernels accept the lengths of the job's numbers. */
bool job_takes(const struct job *job);

/* Computes the job on a device. Returns OUTCOME_DONE, or the reason of its failure; operands in
 * host memory are then unchanged, and results are undefined. Results are also undefined if the
 * answer is JOB_IS_ABOVE or JOB_IS_NO_NUMBER. Any thread may call it.
 *
 * A job that names device memory runs on the device that the thread is bound to, which must own
 * that memory. Batch operations also accept numbers in host memory. A result in host memory may
 * overlap operands. A result in device memory must not overlap an operand, and results must not
 * overlap each other.
 *
 * With verify:device, the device compares the residues of those operands for which has_residue is
 * set. It sets the residues of results that are batches or trees. */
enum outcome job_run(struct job *job);

/* Returns true if composite operations may run on a device: a device is open, and the option
 * `verify` does not require the host to check each product. */
bool job_composites_run(void);

/* The result of a check on the host: the job's result is right, it is wrong, or memory did not
 * suffice for the check. */
enum verify_result { VERIFY_GOOD, VERIFY_WRONG, VERIFY_NO_MEMORY };

/* Returns the outcome of a job from the host's check of its result. If the result is wrong, counts
 * a fault of the device and writes a message. The message names the operation `what` and the
 * operands' limbs un and vn. */
enum outcome job_judge(enum verify_result result, const char *what, size_t un, size_t vn);

/* ---- composite operations, which the device or GMP on the host computes (lib/calc/calc.h) */

/* Computes a composite job with the arithmetic of *c. Call it between job_begin and job_end. */
void job_work(struct calc *c, void *job);

/* Returns true if any two results overlap in host memory, or are in the same device memory. */
bool job_results_overlap(const struct job *job);

/* Copies *job to *apart, with temporary memory for results that overlap operands. Returns false if
 * memory is short; otherwise the caller must call job_end. */
bool job_begin(struct job *apart, struct job *job);

/* If is_done, copies results and answers of *apart to *job, and fills the results' highest limbs
 * with zeros. Releases the temporary memory in any case. */
void job_end(struct job *job, struct job *apart, bool is_done);

/* Copies what a run has set in *from to *job: answers, residues, counts of downloaded limbs. Copies
 * all elements of the arrays of operands and results: *from may be memory of another process, so
 * its counts may be wrong. */
void job_take_answers(struct job *job, const struct job *from);

/* ---- for recipes */

/* Downloads the lowest limbs of x to result k, at most the result's n limbs. Does nothing if result
 * k is absent. */
void job_deliver(struct calc *c, struct job *job, unsigned k, struct number x);

/* Uploads an operand from host memory. Returns it as a device number of `words` words. */
struct number job_operand(struct calc *c, const struct job_ref *u, uint64_t words);

/* Uploads a first approximation, with which Newton's iteration begins. It needs no check of its
 * own: the result's check detects errors in it. */
struct number job_first(struct calc *c, const struct job_ref *u);

/* Returns true if no operand or result is in device memory, so that any device may run the job.
 * Returns false for programs over numbers, which may refer to device memory in their tables, and
 * for jobs on device memory itself. */
bool job_crosses(const struct job *job);

/* Returns true for an operation on limbs. */
static inline bool job_is_on_limbs(const struct job *job) {
    return job->op >= JOB_BATCH_OPS && job->op < JOB_FIRST_COMPOSITE;
}

/* Returns true if the job has exactly this number of operands and of results. */
static inline bool job_has(const struct job *job, unsigned operands, unsigned results) {
    return job->operands == operands && job->results == results;
}

/* Returns true if result k is absent or has n limbs. */
static inline bool job_is_result(const struct job *job, unsigned k, uint64_t n) {
    return job->r[k].count == 0 || job->r[k].n == n;
}

/* Returns true if a number of this bit length, without leading zero limbs, has n limbs. */
static inline bool job_is_length(uint64_t bits, uint64_t n) {
    return bits > 64 * (n - 1) && bits <= 64 * n;
}

/* Returns true if *x is in host memory and so short that sums of bit lengths fit in 64 bits. */
static inline bool job_has_countable_bits(const struct job_ref *x) {
    return x->host && x->count * x->n <= JOB_MOST_LIMBS >> 8;
}

/* Return true if *x consists of numbers, not of text. For job_is_on_host they must be in host
 * memory and not too long, for job_is_on_device in device memory. */
static inline bool job_is_on_host(const struct job_ref *x) {
    return job_has_countable_bits(x) && !x->is_text;
}
static inline bool job_is_on_device(const struct job_ref *x) {
    return !x->host && x->mem.h != 0 && !x->is_text;
}

/* Returns the words that a JOB_mul_part needs: for the product of its two factors, or for the sum
 * with the addend and one limb for its carry, whichever is longer. */
uint64_t job_part_words(const struct job *job);

/* Returns the plan of get_str or set_str for *text: how its digits are divided among the leaves of
 * a tree (lib/calc/calc_text.h). */
struct calc_cut job_cut(const struct job *job, const struct job_ref *text);

/* Returns true for an operation that computes powers modulo numbers. */
static inline bool job_is_modular_power(const struct job *job) {
    return job->op == JOB_batch_mod_pow || job->op == JOB_batch_mod_pow_sec;
}

/* Returns true if the operands are tables of plain data, which job_fits must read. */
static inline bool job_has_tables(const struct job *job) {
    return job->op == JOB_numbers || job->op == JOB_mandelbrot;
}

/* Returns the plan of the job's product tree, or NULL if its counts are not possible or memory is
 * short. The caller frees the plan. */
struct tree_plan *job_tree_plan(const struct job *job);

/* Returns true if tree_remainders computes remainders of a dividend; returns false if it computes
 * cofactors. */
static inline bool job_has_dividend(const struct job *job) {
    return job->operands > JOB_DIVIDEND;
}

/* Returns the limbs that the operand JOB_FIRST_OF_TREE must have for a root of root_words words. */
uint64_t job_tree_first_limbs(const struct job *job, uint64_t root_words);

/* Returns true if a job mul_part is faster than computing the whole product on the device and then
 * copying or adding a part of it on the host. */
static inline bool job_part_pays(uint64_t un, uint64_t vn) {
    return un + vn >= 1 << 14;
}

/* Returns true if the device is expected to compute the powm within a few seconds. GMP computes
 * longer ones. */
bool job_powm_is_short(const struct job *job);

/* product_tree has these operands, in this order: a table of limbs, row by row; for each column of
 * this table, the bit length of the product of its limbs; a table of groups of columns
 * (lib/calc/calc_tree.h); optionally the number with which the computation starts. Each group has
 * JOB_GROUP_LIMBS limbs. */
enum { JOB_GROUP_LIMBS = 3 };

/* Returns true if *v is a possible view of the Mandelbrot set, and both results have its size: 32
 * bits for each pixel. */
bool job_is_view(const struct job *job, const struct mandelbrot_view *v);

/* Returns true if the device can compute the k-th root of a number of `bits` bits, k >= 2. */
bool job_root_is_possible(uint64_t bits, uint64_t k);

/* The most limbs of the first approximation with which the iteration for a root begins. */
enum { JOB_ROOT_FIRST_LIMBS = 2 * (2 * 256 + 1) };

/* Return an upper bound of a result's limbs. job_root_limbs: of the k-th root of a number of `bits`
 * bits. job_root_rest_limbs: of that root's remainder. job_power_limbs: of the result of pow.
 * job_fibonacci_limbs: of each result of fibonacci. */
uint64_t job_root_limbs(uint64_t bits, uint64_t k);
uint64_t job_root_rest_limbs(uint64_t bits, uint64_t k);
uint64_t job_power_limbs(const struct job *job);
uint64_t job_fibonacci_limbs(const struct job *job);

/* Return the plans of tdiv_qr, of powm and of a root, for the bit lengths in the job's
 * parameters. */
struct calc_divisor job_divisor(const struct job *job);
struct calc_divisor job_modulus(const struct job *job);
struct calc_root_plan job_root_plan(const struct job *job);

#endif
