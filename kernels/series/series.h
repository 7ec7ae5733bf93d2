/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches in series: what host and kernel share.  A block has SERIES_HEAD words, zeros at first,
 * by which the groups wait for one another, and then a command for each launch. */
#ifndef SERIES_H
#define SERIES_H

#define SERIES_THREADS 256 /* work-items of every launch */
#define SERIES_MOST 64     /* commands of a block */
#define SERIES_MEMORIES 12 /* buffers that they use */
#define SERIES_ARGS 18     /* of a launch, at most */

/* The head: how many groups have come, and whether one has left before all had. */
#define SERIES_CAME 0
#define SERIES_LEFT 1
#define SERIES_HEAD 16 /* words */

/* A command: the phase, groups along x and y; then two words an argument, the lower first.  Memory
 * is told by its number. */
#define SERIES_PHASE 0
#define SERIES_GROUPS_X 1
#define SERIES_GROUPS_Y 2
#define SERIES_FIRST 4
#define SERIES_COMMAND (SERIES_FIRST + 2 * SERIES_ARGS) /* words, a multiple of 4 */
#define SERIES_BLOCK (SERIES_HEAD + SERIES_MOST * SERIES_COMMAND)

/* So often a group looks whether all have come, before it leaves: some tenths of a second. */
#define SERIES_LOOKS (1u << 19)
#define SERIES_SELDOM 64 /* and once in so many whether one has left */

/* The phases: kernels of other programs, by those programs. */
enum {
#define PHASE(program, kernel, takes) SERIES_##program##_##kernel,
#include "kernels/series/phases.def"
#undef PHASE
    SERIES_PHASES
};

#endif
