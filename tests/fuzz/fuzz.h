/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A fuzz target is a file fuzz_NAME.c that defines these two functions; parser.c defines the first
 * one for two targets. It is linked with driver.c or with libFuzzer; both call the functions by
 * these names. */
#ifndef MPGPU_FUZZ_H
#define MPGPU_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Prepares the target; called once, before the first run. Exits with status 77 if the target
 * cannot run here. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Runs the target on one input and returns 0. Ends the process if it finds a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
