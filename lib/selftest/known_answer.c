/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Implements known-answer tests: creates the operands, compares the device's results, and records
 * which tests a device has passed. */
#include "lib/selftest/known_answer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/device/tables.h"
#include "lib/dispatch/dispatch.h"
#include "lib/transfer/transfer.h"

_Static_assert(KNOWN_END <= 64 * CONTEXT_KNOWN, "bits of all");

/* Fills x with words that provoke carries: random words, words of ones, zeros, and words with one
 * bit. The same seed always yields the same words, because some tests need certain highest
 * words. */
static void fill(uint32_t *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned kind = (unsigned)(seed >> 20) % 16;
        x[i] = i / 64 % 3 == 1 ? ~0u
               : kind < 4      ? 0
               : kind < 8      ? ~0u
               : kind < 10     ? 1u << (seed >> 59)
                               : (uint32_t)(seed >> 32);
    }
}

static void begin(struct known_answer *t) {
    static const enum context_slot slots[] = {SLOT_U, SLOT_V};
    gpu_mem tables;
    dispatch_warm_up();
    t->got = calloc(4 * t->n + 1, sizeof(uint32_t));
    t->status = t->got ? tables_get(t->s, &tables) : GPU_NOMEM;
    for (int i = 0; i < 2 && t->got && t->n > 0; i++) {
        t->host[i] = t->got + (2 + (size_t)i) * t->n;
        fill(t->host[i], t->n, 1 + (uint64_t)i);
        t->residue[i] = residue_of(t->host[i], t->n, RESIDUE_MODULUS);
        KNOWN_ANSWER(t, number_in_slot(t->s, slots[i], t->n, &t->x[i]));
    }
    if (t->n > 0)
        KNOWN_ANSWER(t, number_in_slot(t->s, SLOT_R, 2 * t->n, &t->r));
    for (int i = 0; i < 2 && t->n > 0; i++)
        known_answer_up(t, t->x[i].mem, 0, t->host[i], t->n);
}

static void end(struct known_answer *t) {
    while (t->buffers-- > 0)
        context_release(t->s, t->mem[t->buffers], t->bytes[t->buffers]);
    free(t->got);
    if (t->status != GPU_OK)
        mpgpu_log(LOG_INFO, "known-answer test: %s: %s", gpu_status_text(t->status),
                  gpu_error_text());
}

bool known_answer_has(const struct context *s, unsigned key) {
    return s->known[key / 64] >> key % 64 & 1;
}

enum gpu_status known_answer_verify(struct context *s, size_t n, known_answer_run *run,
                                    const void *plan) {
    struct known_answer t = {.s = s, .plan = plan, .n = n};
    begin(&t);
    if (t.status == GPU_OK)
        run(&t);
    end(&t);
    return t.status;
}

enum gpu_status known_answer_ensure(struct context *s, unsigned key, size_t n,
                                    known_answer_run *run, const void *plan) {
    if (known_answer_has(s, key))
        return GPU_OK;
    enum gpu_status status = known_answer_verify(s, n, run, plan);
    if (status == GPU_OK)
        s->known[key / 64] |= UINT64_C(1) << key % 64;
    return status;
}

gpu_mem known_answer_buffer(struct known_answer *t, enum context_slot slot, uint64_t words) {
    gpu_mem mem = {0};
    KNOWN_ANSWER(t, context_buffer(t->s, slot, number_bytes(words), &mem));
    return mem;
}

gpu_mem known_answer_alloc(struct known_answer *t, uint64_t words) {
    gpu_mem mem = {0};
    const size_t bytes = number_bytes(words);
    KNOWN_ANSWER(t, context_alloc(t->s, bytes, &mem));
    if (t->status == GPU_OK) {
        t->mem[t->buffers] = mem;
        t->bytes[t->buffers++] = bytes;
    }
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, mem, 0, bytes));
    /* waits, because uploads use another queue than kernels */
    KNOWN_ANSWER(t, gpu_finish(&t->s->queue));
    return mem;
}

void known_answer_up(struct known_answer *t, gpu_mem mem, uint64_t at, const void *x,
                     size_t words) {
    KNOWN_ANSWER(t, transfer_up(t->s->transfer, &t->s->queue, mem, at * sizeof(uint32_t), x,
                                words * sizeof(uint32_t)));
}

void known_answer_down(struct known_answer *t, void *x, gpu_mem mem, uint64_t at, size_t words) {
    KNOWN_ANSWER(t, transfer_down(t->s->transfer, &t->s->queue, x, mem, at * sizeof(uint32_t),
                                  words * sizeof(uint32_t)));
    dispatch_warm_up();
}

/* Logs that a result for operands of n words is wrong, and returns GPU_FAILED. The caller then
 * stops using the device. */
static enum gpu_status wrong(struct context *s, const char *what, size_t n) {
    mpgpu_log(LOG_WARNING, "%s: wrong answer of the known-answer test: %s of %zu words",
              s->dev.caps.name, what, n);
    s->failed = 1;
    return GPU_FAILED;
}

bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what) {
    if (!*way || (status != GPU_FAILED && status != GPU_NOBUILD))
        return false;
    mpgpu_log(LOG_WARNING, "%s: continues without %s", s->dev.caps.name, what);
    *way = false;
    s->failed = 0;
    return true;
}

void known_answer_expect(struct known_answer *t, bool is_right, const char *what, size_t words) {
    if (!is_right)
        KNOWN_ANSWER(t, wrong(t->s, what, words));
}

void known_answer_compare(struct known_answer *t, gpu_mem mem, uint64_t at, const uint32_t *right,
                          size_t words, const char *what) {
    known_answer_down(t, t->got, mem, at, words);
    known_answer_expect(t, memcmp(t->got, right, words * sizeof *right) == 0, what, words);
}

void known_answer_residue(struct known_answer *t, size_t words, uint64_t right, const char *what) {
    known_answer_down(t, t->got, t->r.mem, 0, words);
    known_answer_expect(t, residue_of(t->got, words, RESIDUE_MODULUS) == right, what, t->n);
}

void known_answer_product(struct known_answer *t, bool is_square, const char *what) {
    known_answer_residue(t, 2 * t->n, residue_mul(t->residue[0], t->residue[!is_square]), what);
}

uint32_t known_answer_addmul(uint32_t *r, size_t rn, const uint32_t *x, size_t xn, uint32_t c) {
    uint64_t carry = 0;
    size_t i = 0;
    for (; i < xn; i++, carry >>= 32)
        r[i] = (uint32_t)(carry += (uint64_t)c * x[i] + r[i]);
    for (; i < rn; i++, carry >>= 32)
        r[i] = (uint32_t)(carry += r[i]);
    return (uint32_t)carry;
}

void known_answer_mul(uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn) {
    memset(r, 0, (un + vn) * sizeof *r);
    for (size_t i = 0; i < un; i++)
        known_answer_addmul(r + i, vn + 1, v, vn, u[i]);
}
