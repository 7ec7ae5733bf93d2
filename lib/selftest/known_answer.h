/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: operands for which the device computes what the host knows. */
#ifndef MPGPU_KNOWN_ANSWER_H
#define MPGPU_KNOWN_ANSWER_H

#include "lib/device/number.h"

/* A test under way: operands of n words in host memory and in SLOT_U and SLOT_V,
 * the result, and what the device made of them. */
struct known_answer {
    struct context *s;
    size_t n;
    uint32_t *host; /* u, v, result: 4 n words */
    struct number u, v, r;
    uint64_t u_residue, v_residue; /* modulo RESIDUE_MODULUS */
};

/* Operands that break carries; t->host is to be freed, also after a failure. */
enum gpu_status known_answer_begin(struct known_answer *t, struct context *s, size_t n);

/* The device is not fit for us: what it has computed of operands of n words is wrong. */
enum gpu_status known_answer_wrong(struct context *s, const char *what, size_t n);

/* Whether the context goes on without a way of computing that its device has and others have not:
 * *way, of its caps, which becomes false.  That is where known answers by it were wrong, or their
 * check or a call failed, or its kernel is not there. */
bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what);

/* If `status` is GPU_OK, compare the residue of the result's first `words` words with what is
 * right. */
enum gpu_status known_answer_check(struct known_answer *t, enum gpu_status status, size_t words,
                                   uint64_t right, const char *what);

#endif
