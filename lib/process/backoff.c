/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Looks, then naps. */
#include "config.h"

#include "lib/process/backoff.h"

#include <time.h>

#include "lib/base/stats.h"

enum { LOOKS_PER_CLOCK = 32 };
static const double shortest = 20e-6, longest = 20e-3, fraction = 1.0 / 16;

void backoff_wait(struct backoff *p) {
    if (p->since > 0 && p->awake > 0 && ++p->looks % LOOKS_PER_CLOCK != 0) {
        backoff_pause();
        return;
    }
    double now = stats_clock();
    if (p->since == 0)
        p->since = now;
    double waited = now - p->since, nap = (waited - p->awake) * fraction;
    if (waited < p->awake)
        return;
    p->awake = 0; /* from now on the clock is looked at each time */
    nap = nap < shortest ? shortest : nap > longest ? longest : nap;
    nanosleep(&(struct timespec){0, (long)(nap * 1e9)}, NULL);
}
