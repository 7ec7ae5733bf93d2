/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The statistics at exit. */
#ifndef MPGPU_STATS_REPORT_H
#define MPGPU_STATS_REPORT_H

/* Prints the statistics as the option `stats` asks, and appends them to the file of `stats_file`.
 * `device` is a line about the device, or NULL. Only the first call reports. */
void stats_report(const char *device);

/* Reports, as the options ask, that no call was intercepted, and why. */
void stats_report_nothing(const char *reason);

#endif
