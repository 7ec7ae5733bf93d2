/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a program's standard output. */
#ifndef MPGPU_OUTPUT_H
#define MPGPU_OUTPUT_H

/* Writes what is left of standard output.  Returns `status`, or `failed` if `status` is 0 and the
 * output could not be written.  Prints the reason in one line that begins with the program's name.
 */
int output_end(const char *program, int status, int failed);

#endif
