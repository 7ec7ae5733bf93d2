/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Includes the headers of kernels/modular/ for numbers in digits of 28 bits, whose contracts
 * Frama-C proves. */
#include "tests/proofs/theory.h"

#include "kernels/common/platform.h"

#define GROUP_X 0u
#define DIGITS 10
#define ON_CPU
#include "kernels/modular/divsteps.h"
#include "kernels/modular/tracking.h"
