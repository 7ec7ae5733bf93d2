/* SPDX-License-Identifier: LGPL-3.0-or-later
 * If the user has asked for statistics, but a process ends without intercepted calls, reports why
 * there were no such calls. */
#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/base/stats_row.h"
#include "lib/process/launched.h"
#include "lib/session/report/stats_report.h"

static const char without[] =
    "no shared libgmp is loaded now; the program has none, contains libgmp.a, or opens libgmp by "
    "itself (mpgpu-run --replace is for that)";
static const char with[] =
    "libgmp is loaded, but the program has not called it, or has opened it by itself (mpgpu-run "
    "--replace is for that)";

/* Runs when the process ends. Reports nothing for child processes that have not loaded a libgmp,
 * because most programs that a process starts do not use GMP. */
static __attribute__((destructor)) void report_unreached(void) {
    if (call_has_come() || !stats_rows_are_ours())
        return;
    bool has_gmp = objects_next(NULL, "__gmpz_init");
    if (!has_gmp && !launched_is_program())
        return;
    conf_init();
    stats_report_nothing(has_gmp ? with : without);
}
