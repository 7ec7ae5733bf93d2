/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of results on the device (verify:device): residues of operands and
 * result modulo a random odd modulus of 61 bits, one for each session. */
#ifndef MPGPU_CHECK_H
#define MPGPU_CHECK_H

#include "number.h"

/* A check under way. */
struct check {
    struct session *s;
    uint64_t groups, words; /* a group's residue covers so many words */
    int numbers;            /* 2 where u and v are the same */
};

/* Put the residues of r, u and v into the queue behind what makes r, and their way to
 * the host.  They are there once a later transfer_down from the same queue is. */
int check_start(struct check *c, struct session *s, struct number r, struct number u,
                struct number v);

/* After that: the residue of r (k = 0), u (1) or v (2) modulo s->modulus.m. */
uint64_t check_residue(const struct check *c, int k);

/* GPU_OK if r = u v, GPU_FAILED (and a warning in the log) if not. */
int check_product(const struct check *c);

/* GPU_OK if r + carry 2^(32 rn) = u + v, or r + v = u + carry 2^(32 rn). */
int check_sum(const struct check *c, uint64_t rn, int subtract, uint32_t carry);

/* Give back the memory of checks; with the device at its end. */
void check_close(struct session *s);

#endif
