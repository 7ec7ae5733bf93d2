/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Includes the headers of kernels/modular/ whose contracts Frama-C proves. One work-item computes
 * one number. */
#include "tests/proofs/theory.h"

#include "kernels/common/platform.h"

#define MODULAR_WORDS 8
#define KERNEL(threads) static void
#define ATOMIC_ADD(pointer, x) ((void)(*(pointer) += (x)))
#include "kernels/modular/barrett_shift.h"
#include "kernels/modular/lanes.h"
#include "kernels/modular/montgomery.h"
#include "kernels/modular/power.h"
#include "kernels/modular/traced.h"
#include "kernels/modular/doubles_trace.h"
#include "kernels/modular/divide.h"
#define GROUP_X 0u
#include "kernels/modular/divide_plain.h"
#include "kernels/modular/modular_known.h"
