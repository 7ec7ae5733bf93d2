/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For fuzz targets that test parsers: receives and counts the library's messages. */
#ifndef MPGPU_FUZZ_PARSER_H
#define MPGPU_FUZZ_PARSER_H

#include "tests/fuzz/fuzz.h"

/* Number of warnings so far; the fuzz target resets it. */
extern int parser_warnings;

/* Defined by each fuzz target: ends the process if the text of a warning is wrong. */
void parser_check_warning(const char *warning);

#endif
