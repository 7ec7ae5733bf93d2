/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For fuzz targets of parsers: receives and counts the library's messages. */
#ifndef MPGPU_FUZZ_PARSER_H
#define MPGPU_FUZZ_PARSER_H

#include "tests/fuzz/fuzz.h"

/* Warnings so far; the target resets it. */
extern int parser_warnings;

/* The target's: does not return if the warning is not as it should be. */
void parser_check_warning(const char *warning);

#endif
