/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The statistics at exit. */
#ifndef MPGPU_STATS_REPORT_H
#define MPGPU_STATS_REPORT_H

/* Prints them as the option `stats` asks, nothing if it is off.  `device` is a line about the
 * device, or NULL.  Only the first call prints. */
void stats_report(const char *device);

#endif
