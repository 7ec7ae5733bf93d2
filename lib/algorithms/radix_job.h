/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion between limbs and digits in host memory, on the device from operand to result.
 * Bases are 3 to 255 and no powers of two.  The most significant digit comes first.
 * kernels/radix/text.h has the kinds of characters; TEXT_SMALL and TEXT_LARGE are for bases up to
 * 62. */
#ifndef MPGPU_RADIX_JOB_H
#define MPGPU_RADIX_JOB_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/calc/calc_radix.h"
#include "lib/job/job.h"
#include "lib/operate/first_reciprocal.h"

/* Two operands of a conversion job: base^digits for the digits of one leaf of the conversion tree,
 * and the first approximation of a reciprocal. */
struct radix_job_first {
    mp_limb_t leaf[CALC_RADIX_LEAF_LIMBS], first[FIRST_RECIPROCAL_LIMBS];
};

/* radix_job_to_text sets *job to the conversion of {up, un}, up[un-1] != 0, to a text.
 * radix_job_of_text sets *job to the conversion of the text {sp, n} to a number of at most `most`
 * limbs.  Both return OUTCOME_DONE, or why the device does not convert it.  *first must stay until
 * the job is done. */
enum outcome radix_job_to_text(struct job *job, struct radix_job_first *first, unsigned char *sp,
                               mp_srcptr up, size_t un, unsigned base, unsigned characters);
enum outcome radix_job_of_text(struct job *job, struct radix_job_first *first, mp_ptr rp,
                               size_t most, const unsigned char *sp, size_t n, unsigned base,
                               unsigned characters);

/* {rp, *rn} = the value of the text {sp, n}. rp has room for `most` limbs, enough for the largest
 * value of n characters. Sets *is_number if all characters are digits; otherwise clears it, and rp
 * is unchanged. Returns OUTCOME_DONE, or why the device did not convert it; rp may be anything
 * then.
 */
enum outcome radix_job_set(mp_ptr rp, size_t *rn, size_t most, const unsigned char *sp, size_t n,
                           unsigned base, unsigned characters, bool *is_number);

/* {sp, *n} = the digits of {up, un}, up[un-1] != 0, without leading zeros.  Returns OUTCOME_DONE,
 * or why the device did not convert it; sp may be anything then. */
enum outcome radix_job_get(unsigned char *sp, size_t *n, mp_srcptr up, size_t un, unsigned base,
                           unsigned characters);

/* Checks the device's result of a conversion on the host, if `verify` asks for it. Returns
 * OUTCOME_DONE if the result is right. Any other return value means that the device has failed,
 * and the caller must not use its result. Any thread may call it.
 *
 * - If up is not NULL: all characters of {sp, n} must be digits, and the text's value must equal
 *   {up, un} modulo the random modulus. With TEXT_EXACT the first digit must not be 0.
 * - If up is NULL, the device has found a character that is no digit: there must be one. */
enum outcome radix_verify(const unsigned char *sp, size_t n, unsigned base, unsigned characters,
                          mp_srcptr up, size_t un);

#endif
