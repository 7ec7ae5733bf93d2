/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's memory contract: what a program observes of a call apart from the numbers.  Each call of
 * the differential test's cases is repeated on copies of its variables, by GMP's function and by
 * the intercepted function.  The two are compared (contract.c lists the properties).  One
 * thread. */
#ifndef MPGPU_CONTRACT_H
#define MPGPU_CONTRACT_H

#include <stdbool.h>

#include "tests/contract/blocks.h"
#include "tests/contract/variable.h"
#include "tests/differential/differential.h"

/* An argument of a call: the parameter, a pointer to a variable, and its type. */
struct contract_argument {
    void *parameter;
    enum variable_kind kind;
    bool is_result;
};

enum { CONTRACT_ARGUMENTS = 7, CONTRACT_PARTS = 6 };

/* A call that is repeated. */
struct contract {
    const char *function;
    const struct contract_argument *argument;
    int arguments;
    void *original[CONTRACT_ARGUMENTS];
    struct variable copy[CONTRACT_ARGUMENTS];
    struct variable_value right[CONTRACT_ARGUMENTS];

    int step;
    bool is_ours;     /* the function to call now */
    bool are_new;     /* the call initialises its results */
    bool has_results; /* false: nothing is repeated */
    int part;         /* of the results whose room is looked at */
    size_t extra;     /* room that the part has above what its result needs */
    size_t gmps_room[CONTRACT_PARTS];
    bool gmps_stays[CONTRACT_PARTS];
    struct blocks_asked gmps;
};

/* Starts with the call that the arguments are of. */
void contract_begin(struct contract *c, const char *function,
                    const struct contract_argument *argument, int arguments);

/* Judges the call before and sets the parameters for the next one.  Returns false when all is done:
 * the parameters are the program's own again. */
bool contract_next(struct contract *c);

/* Compares the blocks asked for by a call without variables for results. */
void contract_compare(const char *function, struct blocks_asked ours, struct blocks_asked gmps);

/* The function whose call is repeated now. */
const char *contract_current(void);

unsigned long contract_failures(void);

/* calls.c: this program's own functions with GMP's names, which repeat calls.  Fills `counted` with
 * GMP's functions, which count the blocks that they ask for.  Returns false without the library. */
bool calls_open(const struct reference *gmp, struct reference *counted);

/* Before each case: what GMP's functions asked for in the case before no longer counts. */
void calls_forget(void);

/* The repeated and compared calls of a function, by its place in lib/gmp/functions.def, so far. */
unsigned long calls_of(int function);

#endif
