/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program's connection with the server of the devices, and its channels: one connection for
 * all threads. */
#ifndef MPGPU_SERVED_CHANNEL_H
#define MPGPU_SERVED_CHANNEL_H

#include <stdbool.h>

#include "gpu/served/served.h"

/* Connects with the server of this user; *devp is its device, not opened.  GPU_ABSENT where there
 * is none.  The connection lasts as long as the thread that calls this. */
enum gpu_status served_connect(struct served_welcome *welcome);

/* Ends the connection. */
void served_disconnect(void);

/* The memory of the connection; NULL if there is none, or it is lost. */
struct served_shared *served_memory(void);

/* Counts the devices that use the connection: so many more; how many there are. */
int served_users(int more);

/* Is the other side at work where no thread of this one waits on a CPU? */
void served_set_spin(bool spins);

/* The channel of the calling thread, from 0 on; it is opened for one that has none. */
unsigned served_channel_own(void);

/* Puts a request into a channel, and wakes the server.  GPU_FAILED if the connection is lost. */
enum gpu_status served_post(unsigned channel, const struct served_request *request);

/* The same, and waits for its answer.  *value may be NULL. */
enum gpu_status served_call(unsigned channel, const struct served_request *request,
                            uint64_t *value);

/* The same, and calls serve(of, nanoseconds) until there is an answer, or all is served. */
enum gpu_status served_call_serving(unsigned channel, const struct served_request *request,
                                    enum gpu_served (*serve)(void *of, int64_t ns), void *of);

/* Waits until all that was put into any channel has been served. */
enum gpu_status served_drain(void);

/* Puts a request into channel 0 when all that was put into any channel has been served.  It waits
 * for that until `end`, by served_clock, and for no other thread; false where it is not put. */
bool served_post_idle(const struct served_request *request, int64_t end);

#endif
