#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs flint_client, the FLINT program of this project.
client=flint_client library=FLINT package=libflint-dev
. "$(dirname "$0")/client_of_ours.sh"
