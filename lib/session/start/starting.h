/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds or starts the server mpgpu-serve before a device is used. Depending on the option
 * `server`, this is the user's server or a private server of the program. */
#ifndef MPGPU_STARTING_H
#define MPGPU_STARTING_H

#include <stdbool.h>
#include <stdint.h>

/* Starts a thread that waits for a server, and starts a server if none runs. The thread calls
 * `open` when a server answers, or if none will. The thread lasts as long as the connection that
 * `open` makes. builds_for_cpus: the server may build kernels for a CPU. If no thread can be
 * started, starting_step does this work. With server:off only returns false. Call it once. */
bool starting_begin(void (*open)(void), bool builds_for_cpus);

/* Does the same as starting_begin in a child of fork, but neither waits for a server nor starts
 * one. */
void starting_begin_child(void (*open)(void));

/* Does nothing if starting_begin could start a thread. Otherwise asks the server once, and calls
 * `open` if the server answers or none will. Takes some milliseconds at most. Does nothing
 * within some milliseconds after it has asked. Do not call it in signal handlers. */
void starting_step(void);

/* Returns true from the call of starting_begin until `open` has returned. */
bool starting_is_under_way(void);

/* Waits until `open` (starting_begin) has returned, for at most `ns` nanoseconds. Signals that end
 * the program still do so during the wait. */
void starting_wait(int64_t ns);

/* After starting_forbid this process starts no server, for example during measurements, but still
 * uses a running server. The process then counts as a program of this package, which may use a CPU
 * as a device. */
void starting_forbid(void);
bool starting_is_forbidden(void);

/* Call it if the user's server has no device that the options name. With server:auto, starts a
 * private server for this program. Returns true when that server answers. Call it once, in a
 * thread that opens a device. */
bool starting_private_instead(void);

/* Resets the state in a child of fork, in which the thread does not exist. */
void starting_renew(void);

#endif
