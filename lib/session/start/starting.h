/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server of the devices, before it is asked for one: the user's, which runs or which this
 * program starts, or one of the program's own (option `server`). */
#ifndef MPGPU_STARTING_H
#define MPGPU_STARTING_H

#include <stdbool.h>

/* Unless the option is server:off, makes a thread that waits until a server answers, starts one if
 * none runs, and then calls `open`, whether there is a server or not.  The thread lasts as long as
 * the connection that `open` makes.  That server may build kernels for a CPU if builds_for_cpus.
 * Where there can be no thread, starting_step does it.  Returns false with server:off.  Once. */
bool starting_begin(void (*open)(void), bool builds_for_cpus);

/* The same in a child of fork, where it waits for no server and starts none. */
void starting_begin_child(void (*open)(void));

/* Looks for the server if no thread does, and calls `open` if it answers.  A look takes some
 * milliseconds at most; between two of them pass as many.  Not for a handler of a signal. */
void starting_step(void);

/* Has `open` not returned yet? */
bool starting_is_under_way(void);

/* Waits until it has.  Signals that end the program may do so. */
void starting_wait(void);

/* From here on no server is started, as for measurements; one that runs is used.  This process is
 * one of our own: a CPU is a device of it. */
void starting_forbid(void);
bool starting_is_forbidden(void);

/* The user's server runs and has no device that is meant: from here on the program has a server of
 * its own, if the option `server` is auto.  Returns true when that answers.  Once, in a thread that
 * opens a device. */
bool starting_private_instead(void);

/* In a child of fork, which does not have that thread. */
void starting_renew(void);

#endif
