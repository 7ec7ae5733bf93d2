/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds or starts the server mpgpu-serve before a device is used. Depending on the option
 * `server`, this is the user's server or a private server of the program. */
#ifndef MPGPU_STARTING_H
#define MPGPU_STARTING_H

#include <stdbool.h>
#include <stdint.h>

/* Unless the option is server:off, starts a thread that waits for a server, and starts a server
 * if none runs. The thread then calls `open`, whether a server answers or not, and lasts as long
 * as the connection that `open` makes. builds_for_cpus: the server may build kernels for a CPU.
 * If no thread can be started, starting_step does the work. Returns false with server:off. Call
 * it once. */
bool starting_begin(void (*open)(void), bool builds_for_cpus);

/* As starting_begin, but for a child of fork: neither waits for a server nor starts one. */
void starting_begin_child(void (*open)(void));

/* If no thread could be started: asks the server once, and calls `open` if the server answers.
 * Takes some milliseconds at most, and waits as long before it asks again. Do not call it in
 * signal handlers. */
void starting_step(void);

/* Returns true from starting_begin until `open` has returned. */
bool starting_is_under_way(void);

/* Waits until `open` has returned, for at most `ns` nanoseconds. Signals that end the program do
 * so during the wait. */
void starting_wait(int64_t ns);

/* starting_forbid: from now on this process starts no server, for example for measurements; it
 * still uses a running server. It counts as a program of this package, which may use a CPU as a
 * device. */
void starting_forbid(void);
bool starting_is_forbidden(void);

/* Call it if the user's server has no device that the options name. With server:auto, starts a
 * private server for this program. Returns true when that server answers. Call it once, in a
 * thread that opens a device. */
bool starting_private_instead(void);

/* Resets the state in a child of fork, in which the thread does not exist. */
void starting_renew(void);

#endif
