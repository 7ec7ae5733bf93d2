/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Includes the headers of kernels/common/ whose contracts Frama-C proves. */
#include "tests/proofs/theory.h"

#include "kernels/common/platform.h"

/* Omits the functions that need LOCAL_ID, the number of a work-item. */
#undef LOCAL_ID
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/common/powers.h"
#include "kernels/common/radix.h"
