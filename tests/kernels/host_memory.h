/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of the device that the host emulates. Accesses to it are checked by ASan
 * (memory_asan.c), or one by one by memory_watched.c. */
#ifndef MPGPU_TEST_HOST_MEMORY_H
#define MPGPU_TEST_HOST_MEMORY_H

#include <stddef.h>

#include "tests/kernels/host_group.h"

/* Allocates a buffer of exactly `bytes` bytes, all of them uninitialised. If `of_host`, the host
 * writes to the buffer, too. Returns NULL if there is no memory. */
void *memory_new(size_t bytes, int of_host);
void memory_give(void *buffer);

/* Call memory_filled after the host has written bytes of a buffer: it marks them as initialised.
 * Call memory_fetched before the host reads bytes: it checks that a buffer has them. */
void memory_filled(const void *at, size_t bytes);
void memory_fetched(const void *at, size_t bytes);

/* Returns uninitialised memory for local array number `index` of a group; `place` is the group's
 * number among the running groups. */
void *memory_local(unsigned place, unsigned index, size_t bytes);

/* Notify the checker of what happens: a launch begins; a group begins, passes a barrier or ends;
 * a row of work-items exchanges words; all groups pass a barrier. */
void memory_launch(const struct host_launch *launch);
void memory_begin(unsigned place);
void memory_barrier(unsigned place);
void memory_exchange(unsigned place, unsigned row);
void memory_cluster(void);
void memory_end(unsigned place);

/* Notifies the checker that the work-item in host_now runs next, until it waits. */
void memory_resume(void);

/* Notifies the checker that a host function reads {at, bytes} for the running work-item. */
void memory_read(const void *at, size_t bytes);

/* Notes that this work-item increments a word atomically.  From then on, its group may read what
 * other groups wrote before they last incremented a word. */
void memory_increment(const void *word);

#endif
