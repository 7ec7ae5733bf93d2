/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds or starts the server of the devices, before a device is asked for. It is the user's server,
 * or one of the program's own (option `server`). */
#ifndef MPGPU_STARTING_H
#define MPGPU_STARTING_H

#include <stdbool.h>
#include <stdint.h>

/* Unless the option is server:off, starts a thread that waits for a server and starts one if none
 * runs. The thread then calls `open`, whether a server answers or not, and lasts as long as the
 * connection that `open` makes. builds_for_cpus: the server may build kernels for a CPU. If no
 * thread can be started, starting_step does the work. Returns false with server:off. Call it once.
 */
bool starting_begin(void (*open)(void), bool builds_for_cpus);

/* As starting_begin, in a child of fork: waits for no server and starts none. */
void starting_begin_child(void (*open)(void));

/* If no thread does it, looks for the server and calls `open` if it answers. A look takes some
 * milliseconds at most, and the next one follows after the same time. Not for signal handlers. */
void starting_step(void);

/* Returns true until `open` has returned. */
bool starting_is_under_way(void);

/* Waits until `open` has returned, for at most `ns` nanoseconds. Signals that end the program still
 * do so. */
void starting_wait(int64_t ns);

/* starting_forbid: starts no server from now on, as for measurements; a running server is used. The
 * process counts as one of this package's: it may use a CPU as a device. */
void starting_forbid(void);
bool starting_is_forbidden(void);

/* For a user's server that has no device that the options name: if the option `server` is auto,
 * starts a server of the program's own. Returns true when that answers. Call it once, in a thread
 * that opens a device. */
bool starting_private_instead(void);

/* Resets the state in a child of fork, which lacks that thread. */
void starting_renew(void);

#endif
