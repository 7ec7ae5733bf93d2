/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of the device that the host emulates.  ASan checks it (memory_asan.c), or
 * memory_watched.c, which gets each access. */
#ifndef MPGPU_TEST_HOST_MEMORY_H
#define MPGPU_TEST_HOST_MEMORY_H

#include <stddef.h>

#include "tests/kernels/host_group.h"

/* Allocates a buffer of exactly `bytes` bytes, all of them uninitialised.  of_host: the host writes
 * there, too.  Returns NULL without memory. */
void *memory_new(size_t bytes, int of_host);
void memory_give(void *buffer);

/* Call memory_filled after the host has written bytes of a buffer: they count as initialised. Call
 * memory_fetched before it reads them: they must be. */
void memory_filled(const void *at, size_t bytes);
void memory_fetched(const void *at, size_t bytes);

/* Local array number `index` of the group at `place`, which nothing has written. */
void *memory_local(unsigned place, unsigned index, size_t bytes);

/* A launch with these arguments begins; the group at a place begins, passes a barrier, ends; a row
 * of it exchanges; all groups pass a barrier. */
void memory_launch(const struct host_launch *launch);
void memory_begin(unsigned place);
void memory_barrier(unsigned place);
void memory_exchange(unsigned place, unsigned row);
void memory_cluster(void);
void memory_end(unsigned place);

/* The work-item of host_now runs, until it waits. */
void memory_resume(void);

/* This work-item reads there, by a function of the host's. */
void memory_read(const void *at, size_t bytes);

/* Notes that this work-item increments a word atomically: its group then sees the writes of all
 * groups that have incremented the word before. */
void memory_increment(const void *word);

#endif
