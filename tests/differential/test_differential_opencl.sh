#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every intercepted function compared with GMP's own, with OpenCL.
. "$(dirname "$0")/../support/common.sh"
differential opencl
