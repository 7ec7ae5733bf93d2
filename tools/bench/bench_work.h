/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One operation at one size, with its operands in memory of one kind. */
#ifndef MPGPU_BENCH_WORK_H
#define MPGPU_BENCH_WORK_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Host memory of a kind for operands and results. */
struct bench_memory {
    const char *name;
    void *(*allocate)(size_t bytes); /* NULL if there is none */
    void (*release)(void *p, size_t bytes);
};

/* malloc's, as GMP alone uses it; the library's pool (lib/memory/pool.h), which needs a device. */
extern const struct bench_memory bench_memory_malloc, bench_memory_pool;

struct bench_work;

enum bench_kind { BENCH_PRODUCT, BENCH_MINUS, BENCH_PLUS, BENCH_SUM };

struct bench_operation {
    const char *name, *help;
    enum bench_kind kind; /* modulo B^n - 1 or B^n + 1, of B = 2^64; a sum */
    bool is_square;
    size_t (*length)(size_t n); /* the next n that GMP can do, NULL: all */
    /* By GMP, by the library: nonzero if it failed. */
    int (*gmp)(struct bench_work *w);
    int (*library)(struct bench_work *w);
};

extern const struct bench_operation bench_operations[];
enum { BENCH_OPERATIONS = 5 };

struct bench_work {
    const struct bench_operation *operation;
    const struct bench_memory *memory;
    uint64_t bits; /* as asked for */
    size_t un, vn, rn;
    mp_limb_t *up, *vp, *rp; /* up == vp for a square */
    mp_limb_t *scratch;      /* GMP's */
    mp_limb_t top;           /* limb rn of the result, if it can have one */
    uint64_t seed;
    size_t most; /* un, vn <= most, rn <= 2 most fit into the memory */
};

/* Memory for operands of at most `bits` bits, all of it touched; false and a message if there is
 * none. */
bool bench_work_open(struct bench_work *w, const struct bench_operation *operation,
                     const struct bench_memory *memory, uint64_t bits);
void bench_work_close(struct bench_work *w);

/* The sizes, of a longer operand of `bits` bits and one of 1/ratio of that. */
void bench_work_size(struct bench_work *w, uint64_t bits, unsigned ratio);

/* New operands. */
void bench_work_fill(struct bench_work *w);

/* Is the result right?  Products are checked modulo a random number, others beside GMP's. */
bool bench_work_is_right(struct bench_work *w);

#endif
