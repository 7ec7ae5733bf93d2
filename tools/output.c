/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "config.h"

#include "tools/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int output_end(const char *program, int status, int failed) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: standard output: %s\n", program,
            errno ? strerror(errno) : "an earlier write failed");
    return status ? status : failed;
}
