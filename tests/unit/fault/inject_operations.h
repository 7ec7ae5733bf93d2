/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of test_inject, called by their public names. Each records all of its results, so
 * that a run with a device can be compared with a run without. */
#ifndef MPGPU_TEST_INJECT_OPERATIONS_H
#define MPGPU_TEST_INJECT_OPERATIONS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of operand sets: successive operations of a kind use different operands. */
enum { INJECT_SETS = 3 };

/* The transfers that the check of an operation covers: none; uploads, since it begins with the
 * host's operands; also downloads, since it ends with the host's results. */
enum inject_covers { NO_TRANSFERS, UPLOADS, TRANSFERS };

struct inject_operation {
    const char *name;
    void (*call)(unsigned set);
    enum inject_covers covers;
    bool is_unchecked; /* by design, only known answers at first use check the operation */
};

/* Lists of operations: products and sums; operations that consist of several products; functions
 * of mpgpu.h; jobs of lib/job/ops.def on numbers in host memory. Each list ends with a NULL name.
 */
extern const struct inject_operation inject_products[], inject_composites[], inject_batches[],
    inject_jobs[];

/* Start a new list of results and append results to it. written_error returns true for an error
 * other than 0, which replaces the results. */
void written_begin(void);
void written_number(mpz_srcptr x);
void written_limbs(const mp_limb_t *x, size_t n);
void written_text(const char *text);
bool written_error(int error); /* is it one? */

/* Records whether a job was computed on the device; otherwise the library would use GMP. */
void written_job(bool is_on_device);

/* Returns true if the device has computed all recorded jobs; *has_jobs: there were any. */
bool written_on_device(bool *has_jobs);

/* Returns a copy of the recorded results; NULL if there was an error. */
unsigned char *written_copy(size_t *bytes);

/* written_is_lost returns true if there was an error; written_is returns true if the recorded
 * results equal `right`. */
bool written_is_lost(void);
bool written_is(const unsigned char *right, size_t bytes);

/* Set x to n limbs of operand number `which` of a set, with runs of ones and zeros. operand
 * initialises x; the caller clears it. */
void operand_limbs(mp_limb_t *x, size_t n, unsigned set, unsigned which);
void operand(mpz_ptr x, size_t n, unsigned set, unsigned which);

/* operands_take creates operands A, B and C of the given limbs, and results R and S, which are
 * 0. operands_give records the results and clears all.
 */
#define A operands[0]
#define B operands[1]
#define C operands[2]
#define R results[0]
#define S results[1]
void operands_take(mpz_t *operands, mpz_t *results, const size_t *limbs, unsigned set);
void operands_give(mpz_t *operands, mpz_t *results);

/* X(name, limbs of A, of B and of C, statement). INJECT_DEFINE defines the operation's function.
 * The others define its entry in a list, by the transfers that its check covers: INJECT_WHOLE
 * (all), INJECT_UPLOADS and INJECT_ENTRY (none). */
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
