/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operands and results that stay on the device; the link alone. */
#ifndef MPGPU_BENCH_DEVICE_H
#define MPGPU_BENCH_DEVICE_H

#include "tools/bench/bench_work.h"

/* Numbers on the device for the work's operation at its size.  All below return nonzero if
 * the device fails, or lacks memory. */
struct bench_resident;

/* NULL if that fails. */
struct bench_resident *bench_resident_open(const struct bench_work *w);
void bench_resident_close(struct bench_resident *r);

/* Operands to the device, the result from it. */
int bench_resident_load(struct bench_resident *r, const struct bench_work *w);
int bench_resident_fetch(struct bench_resident *r, struct bench_work *w);

/* The operation so many times, one wait at the end. */
int bench_resident_run(struct bench_resident *r, int times);

/* The bytes of operands and result over the link, from and to page-locked memory, so many
 * times, with one wait at the end. */
struct bench_link;

struct bench_link *bench_link_open(const struct bench_work *w);
void bench_link_close(struct bench_link *link);
int bench_link_run(struct bench_link *link, int times);

#endif
