/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the rows of a picture in one thread for each core. */
#ifndef EXAMPLE_PARALLEL_H
#define EXAMPLE_PARALLEL_H

#include <stdint.h>

/* Calls work(context, row) once for each row from `first` to below `end`, in any order, in one
 * thread for each core that the process may use.  If no thread can be created, the calling thread
 * computes all rows.  Reports progress. */
void parallel_rows(uint32_t first, uint32_t end, void (*work)(void *context, uint32_t row),
                   void *context);

#endif
