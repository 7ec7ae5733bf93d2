/* SPDX-License-Identifier: LGPL-3.0-or-later
 * kernels/common/ as Frama-C reads it. */
#include "tests/proofs/theory.h"

#include "kernels/common/platform.h"

/* Without work-items: what needs LOCAL_ID is not compiled. */
#undef LOCAL_ID
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/common/powers.h"
#include "kernels/common/radix.h"
