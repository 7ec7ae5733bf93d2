/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds where the program calls GMP. */
#ifndef MPGPU_CALL_SITE_H
#define MPGPU_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum { CALL_SITE_FRAMES = 3, CALL_SITE_LINE = 192 };

/* The place of a call: either a line of Python or return addresses. */
struct call_site {
    uint64_t frame[CALL_SITE_FRAMES]; /* return addresses outside of this library and GMP, innermost
                                         first; 0: none */
    uint64_t program;          /* the innermost return address in the program itself; 0: unknown */
    char line[CALL_SITE_LINE]; /* "FILE:LINE FUNCTION"; "" without Python */
};

/* Finds this library, GMP, the program and Python.  Call it once. */
void call_site_init(void);

/* Sets *site to the place of the call that the calling thread is in. Takes no lock and no memory
 * outside of Python. A thread without Python's lock (the GIL) gets no line; with may_wait it waits
 * for this lock instead, and must own no other lock. */
void call_site_find(struct call_site *site, bool may_wait);

#endif
