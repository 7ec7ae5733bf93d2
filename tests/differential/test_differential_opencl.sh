#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Compares every intercepted function with GMP's own, on OpenCL devices.
. "$(dirname "$0")/../support/common.sh"
differential opencl
