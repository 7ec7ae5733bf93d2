/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers.  Operands with long runs of ones and zeros among random words go
 * through the kernels; what comes back must have the residue that the operands'
 * residues give. */
#include "known.h"
#include "../kernels/block.h"
#include "block.h"
#include "check.h"
#include "log.h"
#include "mul.h"
#include "ntt.h"
#include "residue.h"
#include "ring.h"
#include "transfer.h"
#include <stdlib.h>
#include <string.h>

/* Words that break carries: of each sixteen some are all ones, some zero. */
static void fill(uint32_t *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned kind = (unsigned)(seed >> 20) % 16;
        x[i] = i / 64 % 3 == 1 ? ~0u : kind < 4 ? 0 : kind < 8 ? ~0u : (uint32_t)(seed >> 32);
    }
}

/* A test under way: operands of n words in host memory and in SLOT_U and SLOT_V,
 * the result, and what the device made of them. */
struct trial {
    struct session *s;
    size_t n;
    uint32_t *host; /* u, v, result: 4 n words */
    struct number u, v, r;
    uint64_t u_residue, v_residue; /* modulo RESIDUE_MODULUS */
};

static int trial_begin(struct trial *t, struct session *s, size_t n) {
    *t = (struct trial){.s = s, .n = n, .host = malloc(4 * n * sizeof(uint32_t))};
    if (!t->host)
        return GPU_NOMEM;
    fill(t->host, n, 1);
    fill(t->host + n, n, 2);
    t->u_residue = residue_of(t->host, n, RESIDUE_MODULUS);
    t->v_residue = residue_of(t->host + n, n, RESIDUE_MODULUS);
    int status = number_in_slot(s, SLOT_U, n, &t->u);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_V, n, &t->v);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, 2 * n, &t->r);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, t->u.mem, 0, t->host, n * sizeof(uint32_t));
    if (status == GPU_OK)
        status =
            transfer_up(s->transfer, &s->queue, t->v.mem, 0, t->host + n, n * sizeof(uint32_t));
    return status;
}

/* The device is not fit for us: what it has computed of operands of n words is wrong. */
static int wrong(struct session *s, const char *what, size_t n) {
    mpgpu_log(LOG_WARNING, "%s: wrong answer of the known-answer test: %s of %zu words",
              s->dev.caps.name, what, n);
    s->unfit = 1;
    return GPU_FAILED;
}

/* Compare the residue of the result's first `words` words with what is right. */
static int trial_check(struct trial *t, int status, size_t words, uint64_t right,
                       const char *what) {
    uint32_t *r = t->host + 2 * t->n;
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, r, t->r.mem, 0, words * sizeof *r);
    if (status == GPU_OK && residue_of(r, words, RESIDUE_MODULUS) != right)
        status = wrong(t->s, what, t->n);
    return status;
}

static int prove_product(struct session *s, const struct ntt_length *l) {
    struct ntt_plan plan = {.length = *l, .parts = 1, .pieces = 1};
    struct trial t;
    plan.part_v = plan.piece_u = ntt_length_digits(l) / 2;
    int status = trial_begin(&t, s, plan.piece_u * NTT_DIGIT_WORDS);
    if (status == GPU_OK) {
        uint64_t u = t.u_residue, v = t.v_residue;
        status = ntt_mul(s, &plan, t.r, t.u, t.v);
        status = trial_check(&t, status, 2 * t.n, residue_mul(u, v), "product");
        if (status == GPU_OK)
            status = ntt_mul(s, &plan, t.r, t.u, t.u);
        status = trial_check(&t, status, 2 * t.n, residue_mul(u, u), "square");
    }
    free(t.host);
    return status;
}

/* One product of a trial in a ring, to the host. */
static int multiply_in_ring(struct trial *t, struct ring *ring, struct number v, uint32_t *host) {
    struct number r = number_part(t->r, 0, ring->room);
    int status = ring_mul(t->s, ring, r, t->u, v);
    return status == GPU_OK
               ? transfer_down(t->s->transfer, &t->s->queue, host, r.mem, 0, t->n * sizeof *host)
               : status;
}

/* What wraps round beside the product in full, which has been proven, reduced. */
static int prove_wrapped(struct session *s, const struct ntt_length *l) {
    size_t n = ntt_length_digits(l) * NTT_DIGIT_WORDS;
    struct ring full = {.words = n, .plus = (int)l->root, .room = 2 * n};
    struct ring wrapped = full;
    struct trial t = {.host = NULL};
    wrapped.wraps = 1;
    wrapped.room = n + NTT_SURPLUS;
    wrapped.length = *l;
    int status = product_prepare(s, &full.product, n, n);
    if (status == GPU_OK)
        status = trial_begin(&t, s, n);
    for (int square = 0; square < 2 && status == GPU_OK; square++) {
        uint32_t *right = t.host + 2 * n, *r = right + n;
        status = multiply_in_ring(&t, &full, square ? t.u : t.v, right);
        if (status == GPU_OK)
            status = multiply_in_ring(&t, &wrapped, square ? t.u : t.v, r);
        if (status == GPU_OK &&
            (memcmp(r, right, n * sizeof *r) != 0 || wrapped.reduced.top != full.reduced.top))
            status = wrong(s, "product in a ring", n);
    }
    free(t.host);
    return status;
}

/* The kernels that a trial of length l proves: one bit for a program in a role
 * (first or turning, middle) with 1, 3, 5 or 7 branches. */
static uint64_t proof(unsigned log_r, int contiguous, int middle, unsigned branches) {
    unsigned program = contiguous ? (log_r == 8 ? 6 : 7) : log_r - 5;
    return (uint64_t)1 << (program + 8 * middle + 16 * (branches / 2));
}

/* The trials that a length asks for, and which of them have been passed. */
struct proofs {
    struct session *s;
    int (*prove)(struct session *s, const struct ntt_length *l);
    uint64_t *proven;
    int count;
    struct ntt_length length[3];
    uint64_t bit[3];
    int status;
};

static void want(struct proofs *p, uint64_t bit, struct ntt_length length) {
    if (*p->proven & bit)
        return;
    p->bit[p->count] = bit;
    p->length[p->count++] = length;
}

static int prove_all(struct proofs *p) {
    for (int i = 0; i < p->count && p->status == GPU_OK; i++) {
        p->status = p->prove(p->s, &p->length[i]);
        if (p->status == GPU_OK)
            *p->proven |= p->bit[i];
        else
            mpgpu_log(LOG_INFO, "known-answer test: %s: %s", gpu_status_text(p->status),
                      gpu_error_text());
    }
    return p->status;
}

static int prove(struct proofs p, const struct ntt_length *l) {
    unsigned t = l->branches, root = l->root, first = l->log_r[0], last = l->log_r[l->passes - 1];
    want(&p, proof(first, 0, 0, t), (struct ntt_length){first + 8, t, 2, {first, 8}, root});
    if (last != 8)
        want(&p, proof(last, 1, 0, t), (struct ntt_length){5 + last, t, 2, {5, last}, root});
    if (l->passes == 3) {
        unsigned middle = l->log_r[1];
        want(&p, proof(middle, 0, 1, t),
             (struct ntt_length){5 + middle + 8, t, 3, {5, middle, 8}, root});
    }
    return prove_all(&p);
}

int known_prove_length(struct session *s, const struct ntt_length *l) {
    return prove((struct proofs){.s = s, .prove = prove_product, .proven = &s->proven}, l);
}

int known_prove_ring(struct session *s, const struct ntt_length *l) {
    uint64_t *proven = &s->proven_ring[l->root];
    return prove((struct proofs){.s = s, .prove = prove_wrapped, .proven = proven}, l);
}

/* Sum and difference of operands of a few work-groups. */
static int prove_sums(struct session *s) {
    struct trial t;
    int status = trial_begin(&t, s, 10007);
    for (int subtract = 0; subtract < 2 && status == GPU_OK; subtract++) {
        uint32_t carry = 0, *r = t.host + 2 * t.n;
        struct number to = number_part(t.r, 0, t.n);
        status = number_add(s, to, t.u, t.v, subtract, &carry);
        if (status != GPU_OK)
            break;
        /* r + carry B^n = u + v, or r + v = u + carry B^n: the carry as one more word */
        uint64_t u = t.u_residue, v = t.v_residue, power;
        r[t.n] = carry;
        for (size_t i = 0; i < t.n; i++)
            r[i] = 0;
        power = residue_of(r, t.n + 1, RESIDUE_MODULUS);
        uint64_t right = subtract ? residue_add(residue_add(u, power), RESIDUE_MODULUS - v)
                                  : residue_add(residue_add(u, v), RESIDUE_MODULUS - power);
        status = trial_check(&t, status, t.n, right, subtract ? "difference" : "sum");
    }
    free(t.host);
    return status;
}

/* Products and squares inside one work-group, at its largest operands. */
static int prove_block(struct session *s) {
    struct trial t;
    int status = trial_begin(&t, s, BLOCK_WORDS);
    for (int square = 0; square < 2 && status == GPU_OK; square++) {
        status = block_mul(s, t.r, t.u, square ? t.u : t.v);
        status = trial_check(&t, status, 2 * t.n,
                             residue_mul(t.u_residue, square ? t.u_residue : t.v_residue),
                             square ? "square" : "product");
    }
    free(t.host);
    return status;
}

/* The residues that the check of results relies on. */
static int prove_check(struct session *s) {
    struct trial t;
    struct check check;
    int status = trial_begin(&t, s, 20011);
    if (status == GPU_OK)
        status = check_start(&check, s, t.u, t.v, t.u);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    for (int k = 0; k < 3 && status == GPU_OK; k++) {
        const uint32_t *x = k == 1 ? t.host + t.n : t.host;
        if (check_residue(&check, k) != residue_of(x, t.n, check.q.m))
            status = wrong(s, "residue", t.n);
    }
    free(t.host);
    return status;
}

int mpgpu_known_answers(struct session *s) {
    struct ntt_length shortest;
    ntt_length_init(&shortest, NTT_MIN_LOG, 1);
    int status = prove_check(s);
    if (status == GPU_OK)
        status = prove_sums(s);
    if (status == GPU_OK)
        status = prove_block(s);
    return status == GPU_OK ? known_prove_length(s, &shortest) : status;
}
