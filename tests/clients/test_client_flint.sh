#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The project's own FLINT program.
client=flint_client library=FLINT package=libflint-dev
. "$(dirname "$0")/client_of_ours.sh"
