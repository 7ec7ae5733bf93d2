/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Answers of kernels to the host: a few entries of 64 bits in page-locked memory. Kernels write
 * them directly if the backend allows it; otherwise they are downloaded after the kernels. */
#ifndef MPGPU_ANSWERS_H
#define MPGPU_ANSWERS_H

#include "lib/device/context.h"

#define ANSWER_MULMOD                                                                              \
    0 /* 1 if a product modulo 2^(64 n) -+ 1 is not reduced yet (lib/multiply/mulmod.c) */
#define ANSWER_DOUBT 1    /* how far an fft product's coefficients are from integers */
#define ANSWER_KEY 2      /* the key that answers_new_key returns; the host writes it for kernels */
#define ANSWER_RESIDUES 3 /* the first residue of a check (lib/multiply/check.c) */
/* First of 256 entries for the products of a composite operation. The entries from the first one up
 * have values like ANSWER_MULMOD, those from the last one down values like ANSWER_DOUBT. */
#define ANSWER_OPEN 2051
#define ANSWERS_OPEN 256
#define ANSWER_CARRIES (ANSWER_OPEN + ANSWERS_OPEN) /* carries of sums (shards/product_sum.c) */
#define ANSWERS_CARRIES 8
#define ANSWERS_MOST (ANSWER_CARRIES + ANSWERS_CARRIES)
/* Entries after the answers, in host memory only: the values with which a composite operation's
 * check starts (lib/calc/calc_check.c). */
#define ANSWERS_CHECK 2048

/* Allocates the entries, and sets *mem to where kernels write them. */
enum gpu_status answers_get(struct context *s, gpu_mem *mem);

/* The key of a check. The check's kernels combine the residues that they report with a key, which
 * is new for each check (kernels/check/key.h). So a residue that an earlier check has left in the
 * memory is noticed. Other answers of kernels need no key: if such a kernel did not run, the
 * check finds the product wrong.
 *
 * answers_new_key returns a new key, and the argument by which kernels get it. A series of
 * launches is repeated as one launch only if the arguments are the same (gpu/cuda_series.c). So
 * kernels of a series read the key from memory, not from an argument. They do this between
 * answers_in_series(s, true) and answers_in_series(s, false); then only one check may be in
 * progress. */
struct answers_key {
    uint64_t value, argument;
};
struct answers_key answers_new_key(struct context *s);
void answers_in_series(struct context *s, bool begins);

/* Returns an answer that a kernel has written combined with `key`, after removing the key. */
static inline uint64_t answers_by_key(const struct context *s, struct answers_key key,
                                      uint64_t entry) {
    return s->answers.host[entry] ^ key.value;
}

/* Queues the copy of the first `count` entries to s->answers.host, if kernels do not write there.
 */
enum gpu_status answers_fetch(struct context *s, size_t count);

/* Clears the entries, if the option `clear` asks for it. */
void answers_wipe(struct context *s);

/* Releases the memory. Call it when the device is closed. */
void answers_close(struct context *s);

#endif
