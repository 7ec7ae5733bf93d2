/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of test_inject, called by their public names. Each operation records all its results,
 * so that the test can compare a run on a device with a run without one. */
#ifndef MPGPU_TEST_INJECT_OPERATIONS_H
#define MPGPU_TEST_INJECT_OPERATIONS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of operand sets. Successive runs of an operation use different sets. */
enum { INJECT_SETS = 3 };

/* The transfers that the check of an operation covers. NO_TRANSFERS: none. UPLOADS: uploads,
 * because the check begins with the host's operands. TRANSFERS: uploads and downloads, because the
 * check also ends with the host's results. */
enum inject_covers { NO_TRANSFERS, UPLOADS, TRANSFERS };

struct inject_operation {
    const char *name;
    void (*call)(unsigned set);
    enum inject_covers covers;
    /* by design, results are not checked; only self-tests at first use check the operation */
    bool is_unchecked;
};

/* Lists of operations: products and sums; operations that consist of several products; functions
 * of mpgpu.h; jobs of lib/job/ops.def on numbers in host memory. Each list ends with a NULL name.
 */
extern const struct inject_operation inject_products[], inject_composites[], inject_batches[],
    inject_jobs[];

/* written_begin starts a new list of results; written_number, written_limbs and written_text append
 * to it. written_error records an error instead of results if `error` is not 0; it then returns
 * true. */
void written_begin(void);
void written_number(mpz_srcptr x);
void written_limbs(const mp_limb_t *x, size_t n);
void written_text(const char *text);
bool written_error(int error); /* is it one? */

/* Records whether the device has computed a job. If it has not, GMP would compute the job in a
 * program. */
void written_job(bool is_on_device);

/* Returns true if the device has computed all recorded jobs. Sets *has_jobs to true if there were
 * any. */
bool written_on_device(bool *has_jobs);

/* Returns a copy of the recorded results, or NULL if there was an error. The caller frees it. */
unsigned char *written_copy(size_t *bytes);

/* written_is_lost returns true if an error was recorded. written_is returns true if the recorded
 * results equal `right`. */
bool written_is_lost(void);
bool written_is(const unsigned char *right, size_t bytes);

/* Set x to n limbs of operand number `which` of a set; some limbs are 0 or have all bits set.
 * `operand` also initialises x; the caller clears it. */
void operand_limbs(mp_limb_t *x, size_t n, unsigned set, unsigned which);
void operand(mpz_ptr x, size_t n, unsigned set, unsigned which);

/* operands_take initialises the operands A, B and C with the given limbs, and the results R and S
 * with 0. operands_give records the results and clears all numbers. */
#define A operands[0]
#define B operands[1]
#define C operands[2]
#define R results[0]
#define S results[1]
void operands_take(mpz_t *operands, mpz_t *results, const size_t *limbs, unsigned set);
void operands_give(mpz_t *operands, mpz_t *results);

/* Macros for a list of operations X(name, limbs of A, of B and of C, statement). INJECT_DEFINE
 * defines an operation's function. The other macros define its entry in an array. The operation's
 * check covers all transfers with INJECT_WHOLE, uploads with INJECT_UPLOADS, and no transfers with
 * INJECT_ENTRY. */
#define INJECT_DEFINE(name, an, bn, cn, statement)                                                 \
    static void call_##name(unsigned set) {                                                        \
        static const size_t limbs[] = {an, bn, cn};                                                \
        mpz_t operands[3], results[2];                                                             \
        operands_take(operands, results, limbs, set);                                              \
        statement;                                                                                 \
        operands_give(operands, results);                                                          \
    }
#define INJECT_WHOLE(name, an, bn, cn, statement) {#name, call_##name, TRANSFERS, false},
#define INJECT_UPLOADS(name, an, bn, cn, statement) {#name, call_##name, UPLOADS, false},
#define INJECT_ENTRY(name, an, bn, cn, statement) {#name, call_##name, NO_TRANSFERS, false},

#endif
