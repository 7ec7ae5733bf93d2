/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The functions of the device's engine (struct calc_engine). */
#ifndef MPGPU_CALC_DEVICE_H
#define MPGPU_CALC_DEVICE_H

#include "lib/calc/calc_factor.h"
#include "lib/calc/calc_head.h"

void calc_device_mul(struct calc *c, struct number r, struct number u, struct number v);
struct number calc_device_mul_wrapped(struct calc *c, uint64_t least, struct number u,
                                      struct number v);
void calc_device_mul_1(struct calc *c, struct number r, struct number u, uint64_t v);
void calc_device_divide_1(struct calc *c, struct number r, struct number u, uint32_t d);
void calc_device_reduce(struct calc *c, struct number r, struct number flag, struct number u,
                        struct number v);
void calc_device_add(struct calc *c, struct number r, struct number u, struct number v,
                     bool subtract);
void calc_device_shift(struct calc *c, struct number r, struct number u, int64_t bits,
                       bool is_complement);
void calc_device_remainder(struct calc *c, struct number r, struct number n, struct number product,
                           struct number q, struct number d);
uint64_t calc_device_least_wrapped(struct calc *c, uint64_t n);
bool calc_device_keep(struct calc *c, struct calc_factor *f);
void calc_device_mul_kept(struct calc *c, struct number r, struct number u,
                          const struct calc_factor *f);
bool calc_device_mul_mersenne(struct calc *c, uint64_t p, struct number x, struct number u,
                              struct number v);
void calc_device_mersenne_reduce(struct calc *c, uint64_t p, struct number r, struct number q,
                                 struct number x);
void calc_device_mersenne_quotient(struct calc *c, struct number q, struct number u,
                                   struct number v);
void calc_device_demand_less(struct calc *c, struct number u, struct number v);
void calc_device_demand_below_mersenne(struct calc *c, struct number u, uint64_t p);
void calc_device_demand(struct calc *c, const struct calc_equation *q);
void calc_device_check_now(struct calc *c);

/* Returns which answer (lib/device/answers.h) reports to the host whether the next product modulo a
 * number 2^k - 1 is reduced. The device sets this answer to 0 once the product is reduced.
 * calc_next_doubt returns which answer reports whether the next fft product is doubted. */
unsigned calc_next_open(struct calc *c);
unsigned calc_next_doubt(struct calc *c);

#endif
