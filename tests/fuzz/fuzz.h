/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A fuzz target is a file fuzz_NAME.c with these two functions.  It is linked with
 * driver.c, or with libFuzzer, which calls them by these names. */
#ifndef MPGPU_FUZZ_H
#define MPGPU_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Once, at first.  Exits with status 77 if the target cannot run here. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* One run; does not return if it finds something wrong. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
