/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests GMP's memory contract: how a call uses the program's memory functions and the memory of its
 * variables.
 * Each call of the differential test's cases is repeated on copies of its variables, by GMP's
 * function and by the intercepted function.  Then the test compares how both used memory.
 * contract.c lists the properties.  For one thread. */
#ifndef MPGPU_CONTRACT_H
#define MPGPU_CONTRACT_H

#include <stdbool.h>

#include "tests/contract/blocks.h"
#include "tests/contract/variable.h"
#include "tests/differential/differential.h"

/* An argument of a call: the address of the call's parameter, and the type of the variable to which
 * the parameter points. */
struct contract_argument {
    void *parameter;
    enum variable_kind kind;
    bool is_result;
};

enum { CONTRACT_ARGUMENTS = 7, CONTRACT_PARTS = 6 };

/* The state of a call that is repeated on copies. */
struct contract {
    const char *function;
    const struct contract_argument *argument;
    int arguments;
    void *original[CONTRACT_ARGUMENTS];
    struct variable copy[CONTRACT_ARGUMENTS];
    struct variable_value right[CONTRACT_ARGUMENTS];

    int step;
    bool is_ours;     /* the next call is the library's, not GMP's */
    bool are_new;     /* the call initialises the variables of its results, as mpz_init_set does */
    bool has_results; /* the call has results that can be copied; otherwise it is not repeated */
    int part;         /* number of the part of a result (a numerator, say) that has few limbs */
    /* limbs that are allocated for part number `part`, beyond the limbs of its value */
    size_t extra;
    size_t gmps_room[CONTRACT_PARTS];
    bool gmps_stays[CONTRACT_PARTS];
    struct blocks_asked gmps;
};

/* Starts the repetitions of a call of `function` with these arguments. */
void contract_begin(struct contract *c, const char *function,
                    const struct contract_argument *argument, int arguments);

/* Checks the previous repetition and points the call's parameters to the copies for the next one.
 * Returns false after the last repetition; the parameters then point to the program's own variables
 * again. */
bool contract_next(struct contract *c);

/* Compares the library's memory requests with GMP's. */
void contract_compare(const char *function, struct blocks_asked ours, struct blocks_asked gmps);

/* Returns the name of the function whose call is being repeated. */
const char *contract_current(void);

unsigned long contract_failures(void);

/* Activates the functions of calls.c, which have GMP's names and repeat calls.  Fills `counted`
 * with GMP's functions plus counters of memory requests.  Returns false if a function is
 * missing. */
bool calls_open(const struct reference *gmp, struct reference *counted);

/* Clears the recorded memory requests.  Call it before each case. */
void calls_forget(void);

/* Returns how many calls of a function were repeated or compared so far.  `function` is its index
 * in lib/gmp/functions.def. */
unsigned long calls_of(int function);

#endif
