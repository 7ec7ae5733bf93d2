/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that the lengths of operands and results fit together. */
#include "lib/calc/calc_radix.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/calc/calc_tree.h"
#include "lib/job/job.h"
#include "lib/trees/tree_remainders.h"
#include "lib/trees/tree_split.h"

/* ---- limbs */

static bool are_factors(const struct job *j) {
    return job_has(j, 2, 1) && j->u[0].n >= j->u[1].n && j->r[0].count > 0;
}

bool job_fits_mul(const struct job *j) {
    return are_factors(j) && j->r[0].n == j->u[0].n + j->u[1].n && j->parameter[JOB_OLD] == 0;
}

bool job_fits_mullo(const struct job *j) {
    return job_fits_mulmod_bnp1(j) && j->r[0].n <= j->u[0].n + j->u[1].n;
}

bool job_fits_mulmod_bnm1(const struct job *j) {
    return are_factors(j) && j->r[0].n >= j->u[0].n && j->r[0].n < j->u[0].n + j->u[1].n;
}

bool job_fits_mulmod_bnp1(const struct job *j) {
    return are_factors(j) && j->r[0].n >= j->u[0].n;
}

bool job_fits_add(const struct job *j) {
    return are_factors(j) && j->r[0].n == j->u[0].n;
}

bool job_fits_sub(const struct job *j) {
    return job_fits_add(j);
}

bool job_fits_mul_1(const struct job *j) {
    const uint64_t un = j->u[0].n, rn = j->r[0].n;
    if (j->r[0].count == 0 || rn <= un + (j->parameter[JOB_SUBTRACT] != 0))
        return false;
    return job_has(j, 1, 1) || (job_has(j, 2, 1) && rn > un + 1 && rn > j->u[1].n);
}

/* Returns the words that a JOB_mul_part needs for the product of its two factors, or for the sum
 * with the addend, whichever is longer. */
uint64_t job_part_words(const struct job *j) {
    const uint64_t un = j->u[0].n, vn = j->u[1].n;
    const uint64_t wn = j->operands > JOB_ADDEND ? j->u[JOB_ADDEND].n : 0;
    const uint64_t n = wn > un + vn ? wn : un + vn, sum = calc_words(64 * (n + (wn > 0)));
    const uint64_t product = calc_words(64 * un) + calc_words(64 * vn);
    return product > sum ? product : sum;
}

bool job_fits_mul_part(const struct job *j) {
    return (job_has(j, 2, 1) || job_has(j, 3, 1)) && j->parameter[JOB_SKIP] < job_part_words(j) / 2;
}

/* ---- radix conversion */

struct calc_cut job_cut(const struct job *j, const struct job_ref *text) {
    return calc_cut_plan((unsigned)j->parameter[JOB_RADIX], text->n);
}

static bool are_digits(const struct job *j, const struct job_ref *text) {
    const uint64_t base = j->parameter[JOB_RADIX];
    if (base < 3 || base > 255 || (base & (base - 1)) == 0 || !text->is_text ||
        j->u[JOB_LEAF].n != CALC_RADIX_LEAF_LIMBS || j->parameter[JOB_CHARACTERS] > TEXT_LARGE ||
        (j->parameter[JOB_CHARACTERS] != TEXT_VALUES && base > 62))
        return false;
    const unsigned levels = job_cut(j, text).levels;
    return levels >= 1 && levels <= CALC_RADIX_LEVELS;
}

bool job_fits_get_str(const struct job *j) {
    const struct job_ref *text = &j->r[0];
    const uint64_t least = j->parameter[JOB_LEAST];
    if (!job_has(j, 3, 1) || j->u[0].is_text || text->count == 0 || !are_digits(j, text))
        return false;
    const struct calc_cut cut = job_cut(j, text);
    return (least == text->n || least == text->n - 1) &&
           j->parameter[JOB_POWER_BITS] > 64 * (j->u[0].n - 1) &&
           j->parameter[JOB_POWER_BITS] <=
               calc_cut_bits(&cut, (uint64_t)cut.digits << cut.levels) &&
           j->u[JOB_FIRST_OF_POWER].n ==
               calc_reciprocal_first_limbs(calc_radix_reciprocal_quads(&cut));
}

bool job_fits_set_str(const struct job *j) {
    return job_has(j, 2, 1) && j->r[0].count == 1 && !j->r[0].is_text && are_digits(j, &j->u[0]);
}

/* ---- device memory */

bool job_fits_store_alloc(const struct job *j) {
    return job_has(j, 0, 0) && j->parameter[JOB_LIMBS] > 0 &&
           j->parameter[JOB_LIMBS] <= JOB_MOST_LIMBS && j->parameter[JOB_IS_SHARED] <= 1;
}

/* Returns true if *x is device memory with more than JOB_AT limbs. */
static bool is_store(const struct job *j, const struct job_ref *x) {
    return job_is_on_device(x) && x->count == 1 && x->n > j->parameter[JOB_AT];
}

static bool is_content(const struct job *j, const struct job_ref *x) {
    return job_is_on_host(x) && job_bytes(x) == job_store_bytes(j);
}

bool job_fits_store_fill(const struct job *j) {
    return (job_has(j, 0, 1) || (job_has(j, 1, 1) && is_content(j, &j->u[0]))) &&
           is_store(j, &j->r[0]);
}

bool job_fits_store_fetch(const struct job *j) {
    return job_has(j, 1, 1) && is_store(j, &j->u[0]) && is_content(j, &j->r[0]);
}

bool job_fits_store_copy(const struct job *j) {
    return job_has(j, 1, 1) && is_store(j, &j->u[0]) && is_store(j, &j->r[0]) &&
           j->u[0].n == j->r[0].n && j->u[0].mem.h != j->r[0].mem.h && j->parameter[JOB_AT] == 0;
}

bool job_fits_store_free(const struct job *j) {
    return job_has(j, 1, 0) && is_store(j, &j->u[0]) && j->parameter[JOB_AT] == 0;
}

/* ---- views of the Mandelbrot set */

bool job_is_view(const struct job *j, const struct mandelbrot_view *v) {
    const uint64_t bytes = (uint64_t)v->width * v->rows * sizeof(uint32_t);
    return mandelbrot_is_view(v) && job_bytes(&j->r[0]) == bytes && job_bytes(&j->r[1]) == bytes;
}

bool job_fits_mandelbrot(const struct job *j) {
    return job_has(j, 1, 2) && j->u[0].n == MANDELBROT_LIMBS &&
           job_is_view(j, (const struct mandelbrot_view *)j->u[0].host);
}

/* ---- trees */

bool job_fits_product_tree(const struct job *j) {
    const uint64_t levels = j->parameter[JOB_LEVELS], columns = j->u[1].n;
    return (job_has(j, 3, 1) || job_has(j, 4, 1)) && levels >= 1 && levels <= CALC_TREE_LEVELS &&
           columns <= JOB_MOST_LIMBS >> levels && j->u[0].n == columns << levels &&
           j->u[2].n % JOB_GROUP_LIMBS == 0 && j->u[2].n / JOB_GROUP_LIMBS <= UINT32_MAX &&
           (j->operands == 3 || job_is_length(j->parameter[JOB_START_BITS], j->u[3].n));
}

struct tree_plan *job_tree_plan(const struct job *j) {
    const uint64_t count = j->parameter[JOB_LEAVES], limbs = j->parameter[JOB_LEAF_LIMBS];
    const bool is_possible = count > 0 && limbs > 0 && limbs % 2 == 0 && limbs <= UINT32_MAX;
    return is_possible ? tree_plan_create(count, 2 * limbs) : NULL;
}

/* Returns the words of the root of the product tree in *tree. Returns 0 if *tree is not device
 * memory of the size that the job's parameters for trees require. */
static uint64_t root_words(const struct job *j, const struct job_ref *tree) {
    struct tree_plan *plan = job_is_on_device(tree) ? job_tree_plan(j) : NULL;
    const bool is_tree = plan && tree->count == 1 && 2 * tree->n == plan->words;
    const uint64_t words = is_tree ? tree_root(plan, tree->mem).words : 0;
    tree_plan_free(plan);
    return words;
}

bool job_fits_tree_build(const struct job *j) {
    const uint64_t count = j->parameter[JOB_LEAVES], from = j->parameter[JOB_FROM];
    const struct job_ref *leaves = &j->u[0];
    const uint64_t words = job_has(j, 1, 2) ? root_words(j, &j->r[JOB_TREE]) : 0;
    return words > 0 && job_is_on_host(leaves) && leaves->n == j->parameter[JOB_LEAF_LIMBS] &&
           leaves->count == count + (count > 1 && count % 2) && from % 2 == 0 && from < words / 2 &&
           job_is_on_host(&j->r[JOB_TOP]) && j->r[JOB_TOP].count == 1 &&
           j->r[JOB_TOP].n == words / 2 - from;
}

bool job_fits_tree_root(const struct job *j) {
    const struct job_ref *r = &j->r[0];
    return job_has(j, 1, 1) && job_is_on_host(r) && r->count == 1 &&
           2 * r->n <= root_words(j, &j->u[JOB_TREE]);
}

static bool is_dividend(const struct job *j) {
    const struct job_ref *x = &j->u[JOB_DIVIDEND];
    return !job_has_dividend(j) || (job_is_on_host(x) && x->count == 1 &&
                                    job_is_length(j->parameter[JOB_DIVIDEND_BITS], x->n) &&
                                    x->has_residue == j->u[JOB_TREE].has_residue);
}

uint64_t job_tree_first_limbs(const struct job *j, uint64_t words) {
    return calc_reciprocal_first_limbs(
        tree_reciprocal_quads(job_has_dividend(j) ? TREE_REMAINDER : TREE_COFACTOR, words,
                              j->parameter[JOB_DIVIDEND_BITS], j->parameter[JOB_ROOT_BITS]));
}

bool job_fits_tree_remainders(const struct job *j) {
    const struct job_ref *by = &j->u[JOB_SCALE], *first = &j->u[JOB_FIRST_OF_TREE], *r = &j->r[0];
    const uint64_t bits = j->parameter[JOB_ROOT_BITS];
    if (!(job_has(j, 3, 1) || job_has(j, 4, 1)) || !is_dividend(j))
        return false;
    const uint64_t words = root_words(j, &j->u[JOB_TREE]);
    return words > 0 && job_is_on_host(r) && r->count == j->parameter[JOB_LEAVES] &&
           r->n == j->parameter[JOB_LEAF_LIMBS] && job_is_on_host(by) && by->count == 1 &&
           by->n == 2 && bits > 0 && bits <= 32 * words + 64 && job_is_on_host(first) &&
           first->count == 1 && first->n == job_tree_first_limbs(j, words);
}

bool job_fits_tree_split(const struct job *j) {
    const uint64_t levels = j->parameter[JOB_LEVELS];
    const struct job_ref *x = &j->u[0], *signs = &j->u[JOB_SIGNS], *bits = &j->u[JOB_NODE_BITS];
    if (!job_has(j, 3, 3) || levels < 1 || levels > JOB_MOST_SPLIT_LEVELS)
        return false;
    const uint64_t count = UINT64_C(1) << levels;
    for (unsigned k = 0; k < j->results; k++)
        if (j->r[k].count != 0 && !(job_is_on_host(&j->r[k]) && j->r[k].count == 1))
            return false;
    return job_is_on_host(x) && x->count == 3 * count && x->n % 2 == 0 && x->n <= UINT32_MAX &&
           job_is_on_host(signs) && signs->count == 1 && signs->n == (3 * count + 1) / 2 &&
           job_is_on_host(bits) && bits->count == count &&
           bits->n == sizeof(struct tree_split_bits) / sizeof(uint64_t) && j->r[1].count &&
           j->r[2].count;
}
