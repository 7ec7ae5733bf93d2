/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reports the statistics when the process exits. */
#ifndef MPGPU_STATS_REPORT_H
#define MPGPU_STATS_REPORT_H

/* Prints the statistics in the form of the option `stats`, and appends them to the file of the
 * option `stats_file`. `device` is a line about the device, or NULL. Only the first call has an
 * effect. */
void stats_report(const char *device);

/* Reports that no call was intercepted, and why, if the options ask for statistics. */
void stats_report_nothing(const char *reason);

#endif
