/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table of operations that tests/performance/operations times, with their operands. */
#ifndef MPGPU_PERFORMANCE_OPERATIONS_H
#define MPGPU_PERFORMANCE_OPERATIONS_H

#include <gmp.h>

struct operation {
    const char *group, *name;
    void (*prepare)(unsigned long bits); /* sets the operands */
    void (*run)(void);
};

extern const struct operation operations[];
extern const int operation_count;

/* The results of one run of an operation.  Members that the operation does not write stay 0 or
 * NULL. */
struct operation_results {
    mpz_t q, r;
    mpf_t z;
    mpq_t fraction;
    char *text;
    unsigned long returned;
};
extern struct operation_results results;

void operations_begin(void);
void operations_end(void);
/* Draws operands of `bits` bits, which are the same in each process, and clears the results. */
void operations_prepare(const struct operation *o, unsigned long bits);

#endif
