/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The batches of include/mpgpu.h: where their numbers are stored. */
#ifndef MPGPU_COMPAT_BATCH_H
#define MPGPU_COMPAT_BATCH_H

#include "include/mpgpu.h"
#include "lib/job/batch_store.h"

struct mpgpu_batch {
    size_t count, n;
    enum { BATCH_ZERO, BATCH_ON_HOST, BATCH_ON_DEVICE, BATCH_IN_SHARDS, BATCH_LOST } where;
    mp_limb_t *limbs; /* on the host */
    /* Memory on the device: `store` has the numbers; `spare` receives a result that is also an
     * operand. */
    struct batch_store store, spare;
    /* the batch's numbers if they are distributed over several devices (compat/batch/shards.h),
     * otherwise NULL */
    struct batch_shards *shards;
};

/* Returns the number of limbs of the whole batch. */
static inline size_t batch_size(const mpgpu_batch *b) {
    return b->count * b->n;
}

/* Makes mpgpu_error return the text of the code `error`. Returns `error`. */
int batch_fail(int error);
int batch_fail_text(int error, const char *text); /* a static string */

/* Sets the text of mpgpu_error for a call that call_init has refused, because it is in a signal
 * handler. Returns MPGPU_NO_MEMORY. */
int batch_fail_init(void);

/* Sets the text of mpgpu_error to `format` with four sizes. Returns `error`. */
int batch_fail_sizes(int error, const char *format, size_t a, size_t b, size_t c, size_t d);

/* Sets the text of mpgpu_error to "number i WHAT", for an array whose element i is invalid. Returns
 * MPGPU_ARGUMENTS. */
int batch_fail_at(size_t i, const char *what);

/* Returns true if a failing device has lost a batch (`error`) and the caller, which has the numbers
 * of all its operands in host memory, must compute again. After a few failures the library no
 * longer uses the device, and GMP computes. *failures counts the losses, from 0; after too many the
 * function returns false. */
bool batch_is_repeated(int error, unsigned *failures);

/* batch_to_host moves the numbers of b to the host and returns 0 or an error code. batch_to_device
 * moves them to the thread's bound device and returns OUTCOME_DONE or the reason for the failure.
 * After a failure b->where says where the numbers are. */
int batch_to_host(mpgpu_batch *b);
enum outcome batch_to_device(mpgpu_batch *b);

/* Allocates `bytes` bytes on the thread's bound device. Keeps the old memory of `store` if it is on
 * that device and large enough. */
enum outcome batch_reserve(struct batch_store *store, size_t bytes);

/* batch_is_on_host takes ownership of the array `limbs`, which malloc has allocated. Its limbs
 * become the numbers of b. batch_is_on_device declares that b->store has the numbers of b. */
void batch_is_on_host(mpgpu_batch *b, mp_limb_t *limbs);
void batch_is_on_device(mpgpu_batch *b);

/* batch_set_mpz copies an array of mpz_t to a batch, negative numbers in two's complement. The
 * caller has checked that all numbers fit. batch_get_mpz copies a batch to an array of mpz_t; if
 * is_signed, the batch is in two's complement. Both return 0 or an error code. */
int batch_set_mpz(mpgpu_batch *r, const mpz_t *up);
int batch_get_mpz(mpz_t *rp, mpgpu_batch *u, bool is_signed);

#endif
