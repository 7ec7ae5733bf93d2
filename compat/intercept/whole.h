/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whole operations: division, powers, roots, conversion and the like, caught at their
 * public name and built here from products, for a libgmp whose inner calls cannot be
 * caught, and to save GMP's smaller ones.
 *
 * One begins with whole_begin, which passes only if a device is there; its products
 * are then done by whole_mul, on the device where it is sooner and by GMP elsewhere
 * and where it fails, so that a whole operation, once begun, ends with its result. */
#ifndef MPGPU_WHOLE_H
#define MPGPU_WHOLE_H

#include "compat/intercept/call.h"

struct whole {
    struct call call;
    int sent; /* products that the device has done */
};

/* A call that GMP does as a whole, since there was no device when it began. */
struct whole_frame {
    struct call call;
    enum mpgpu_why why;
    int is_open;
};
void whole_frame_begin(struct whole_frame *f);
void whole_frame_end(struct whole_frame *f);

/* At the head of a function that has whole_begin called, and then the real function where that has
 * refused: the time of this is the row's, and the products that GMP makes are inner calls. */
#define WHOLE_FRAME                                                                                \
    __attribute__((cleanup(whole_frame_end))) struct whole_frame whole_frame;                      \
    whole_frame_begin(&whole_frame)

/* As call_begin, where `size` decides; and 0 too if there is no device for it now.
 * Nonzero: whole_end must follow. */
int whole_begin(struct whole *w, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs);

/* The call counts as sent if any of its products was. */
void whole_end(const struct whole *w);

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps
 * neither. A square where the pointers and the sizes are the same. */
void whole_mul(struct whole *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* The same by GMP alone. */
void whole_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

#endif
