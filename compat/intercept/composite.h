/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whole operations: division, powers, roots, conversion and the like, caught at their
 * public name and built here from products, for a libgmp whose inner calls cannot be
 * caught, and to save GMP's smaller ones.
 *
 * One begins with composite_begin, which passes only if a device is there; its products
 * are then done by composite_mul, on the device where it is sooner and by GMP elsewhere
 * and where it fails, so that a whole operation, once begun, ends with its result. */
#ifndef MPGPU_COMPOSITE_H
#define MPGPU_COMPOSITE_H

#include "compat/intercept/call.h"

struct composite {
    struct call call;
    int sent; /* products that the device has done */
};

/* A call that GMP does as a whole, since there was no device when it began. */
struct composite_frame {
    struct call call;
    enum outcome why;
    int is_open;
};
void composite_frame_begin(struct composite_frame *f);
void composite_frame_end(struct composite_frame *f);

/* At the head of a function that has composite_begin called, and then the real function where that has
 * refused: the time of this is the row's, and the products that GMP makes are inner calls. */
#define COMPOSITE_FRAME                                                                                \
    __attribute__((cleanup(composite_frame_end))) struct composite_frame composite_frame;                      \
    composite_frame_begin(&composite_frame)

/* As call_begin, where `size` decides; and 0 too if there is no device for it now.
 * Nonzero: composite_end must follow. */
int composite_begin(struct composite *w, enum call_row row, size_t size, const _Atomic size_t *threshold,
                size_t limbs);

/* The call counts as sent if any of its products was. */
void composite_end(const struct composite *w);

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps
 * neither. A square where the pointers and the sizes are the same. */
void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* The same by GMP alone. */
void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

#endif
