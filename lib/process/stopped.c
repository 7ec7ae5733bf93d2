/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects times in which the process did not run. */
#include "lib/process/stopped.h"

#include "lib/process/event.h"

/* the longest time that a thread may wait for a busy CPU; after a longer gap the process counts as
 * stopped */
enum { LATE_NS = 1000000000 };

bool stopped_since(int64_t *looked, int64_t step) {
    int64_t before = *looked;
    *looked = event_clock();
    return before != 0 && *looked - before > step + LATE_NS;
}
