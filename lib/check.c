/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of results on the device.
 *
 * A wrong result passes only if the modulus divides its error.  An error of n words
 * has at most n / 1.875 prime factors above 2^60, and there are more than 2^54 primes
 * of 61 bits for the random modulus to be a multiple of. */
#include "check.h"
#include "../kernels/residue.h"
#include "log.h"
#include "tables.h"

#define MOST_GROUPS 1024 /* that a number is cut into, */
#define LEAST_STEPS 4    /* each of at least so many vectors a work-item */

#define VECTOR_WORDS 4

/* Page-locked room for the residues of three numbers, for as long as the session. */
static int host_room(struct session *s) {
    void *room;
    if (s->residues)
        return GPU_OK;
    int status = s->dev.backend->host_alloc(s->dev.impl, 3 * MOST_GROUPS * sizeof(uint64_t), &room);
    if (status == GPU_OK)
        s->residues = room;
    return status;
}

void check_close(struct session *s) {
    if (s->residues)
        s->dev.backend->host_release(s->dev.impl, s->residues);
    s->residues = NULL;
}

static struct gpu_arg *number_args(struct gpu_arg *args, struct number x) {
    args[0] = gpu_arg_mem(x.mem);
    args[1] = gpu_arg_u64(x.at);
    args[2] = gpu_arg_u64(x.words);
    return args + 3;
}

int check_start(struct check *c, struct session *s, struct number r, struct number u,
                struct number v) {
    const uint64_t step = VECTOR_WORDS * RESIDUE_THREADS;
    uint64_t most = r.words > u.words ? r.words : u.words;
    uint64_t steps = (most + step * MOST_GROUPS - 1) / (step * MOST_GROUPS);
    steps = steps < LEAST_STEPS ? LEAST_STEPS : steps;
    c->s = s;
    c->words = steps * step;
    c->groups = (most + c->words - 1) / c->words;
    c->numbers = number_same(u, v) ? 2 : 3;
    gpu_mem tables, out;
    size_t bytes = (size_t)c->groups * (unsigned)c->numbers * sizeof(uint64_t);
    int status = tables_get(s, &tables);
    if (status == GPU_OK)
        status = session_buffer(s, SLOT_RESIDUES, 3 * MOST_GROUPS * sizeof(uint64_t), &out);
    if (status == GPU_OK)
        status = host_room(s);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[13], *rest = number_args(number_args(number_args(args, r), u), v);
    rest[0] = gpu_arg_mem(tables);
    rest[1] = gpu_arg_u64(tables_residue_at());
    rest[2] = gpu_arg_u32((uint32_t)steps);
    rest[3] = gpu_arg_mem(out);
    status = NUMBER_LAUNCH(s, GPU_PROGRAM_residue, "residue", c->groups, (unsigned)c->numbers,
                           RESIDUE_THREADS, args);
    return status == GPU_OK ? gpu_read(&s->queue, s->residues, out, 0, bytes) : status;
}

/* 2^(32 words) in Montgomery form. */
static uint64_t power_of_words(uint64_t words, struct session_modulus q) {
    uint64_t base = (uint64_t)(((unsigned __int128)q.one << 32) % q.m), power = q.one;
    for (; words; words >>= 1, base = residue_product(base, base, q.m, q.minv))
        if (words & 1)
            power = residue_product(power, base, q.m, q.minv);
    return power;
}

/* From the residues of the number's chunks, the highest first. */
uint64_t check_residue(const struct check *c, int k) {
    const struct session_modulus q = c->s->modulus;
    const uint64_t *part = c->s->residues + (uint64_t)k * c->groups;
    uint64_t shift = power_of_words(c->words, q), r = 0;
    for (uint64_t g = c->groups; g-- > 0;)
        r = (residue_product(r, shift, q.m, q.minv) + part[g]) % q.m;
    return r;
}

static int verdict(const struct check *c, int good, const char *what) {
    if (good)
        return GPU_OK;
    mpgpu_log(LOG_WARNING, "%s: wrong %s, found by its residue", c->s->dev.caps.name, what);
    return GPU_FAILED;
}

int check_product(const struct check *c) {
    uint64_t r = check_residue(c, 0), u = check_residue(c, 1);
    uint64_t v = c->numbers == 2 ? u : check_residue(c, 2);
    return verdict(c, (uint64_t)((unsigned __int128)u * v % c->s->modulus.m) == r, "product");
}

int check_sum(const struct check *c, uint64_t rn, int subtract, uint32_t carry) {
    const struct session_modulus q = c->s->modulus;
    uint64_t r = check_residue(c, 0), u = check_residue(c, 1);
    uint64_t v = c->numbers == 2 ? u : check_residue(c, 2), over = 0;
    if (carry)
        over = residue_product(1, power_of_words(rn, q), q.m, q.minv);
    int good = subtract ? (r + v) % q.m == (u + over) % q.m : (r + over) % q.m == (u + v) % q.m;
    return verdict(c, good, subtract ? "difference" : "sum");
}
