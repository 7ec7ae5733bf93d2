/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations on limbs in host memory, done on the device from operands to result
 * (lib/calc/calc.h). */
#ifndef MPGPU_COMPOSITION_H
#define MPGPU_COMPOSITION_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/calc/calc.h"
#include "lib/memory/touch.h"

/* Can they be done?  A device is open, and no option asks the host to check each product. */
bool composition_serves(void);

/* Runs `work` (calc_run) on a copy of {argument, size}, which comes back.  `touches` are the
 * operands and results.  OUTCOME_DONE, or why it was not done: results may be anything then. */
enum outcome composition_run(void (*work)(struct calc *c, void *argument), void *argument,
                             size_t size, const struct touch *touches, size_t count);

/* The same for work that several devices may do, its longest products having so many limbs.  What
 * it tells the host's part beside results is brought by calc_download_to_each. */
enum outcome composition_run_long(void (*work)(struct calc *c, void *argument), void *argument,
                                  size_t size, const struct touch *touches, size_t count,
                                  size_t limbs);

/* A result: to p where it overlaps none of the operands, else to memory of its own first. */
struct composition_result {
    mp_ptr p, room;
    size_t n;
};

/* False if there is no memory.  p may be NULL. */
bool composition_result_begin(struct composition_result *r, mp_ptr p, size_t n,
                              const struct touch *operands, size_t count);

/* Where the limbs are to go meanwhile. */
static inline mp_ptr composition_result_limbs(const struct composition_result *r) {
    return r->room ? r->room : r->p;
}

/* Puts them to their place where `is_done`, and releases the memory. */
void composition_result_end(struct composition_result *r, bool is_done);

#endif
