/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program's connection with the server of the devices, and its channels: one connection for
 * all threads. */
#ifndef MPGPU_SERVED_CHANNEL_H
#define MPGPU_SERVED_CHANNEL_H

#include <stdbool.h>

#include "gpu/served/served.h"

/* Connects to the server of this user and receives its list of devices.  GPU_ABSENT if no server
 * runs.  The connection ends with the calling thread. */
enum gpu_status served_connect(struct served_welcome *welcome);

/* Ends the connection. */
void served_disconnect(void);

/* The memory of the connection; NULL if there is none, or it is lost. */
struct served_shared *served_memory(void);

/* Adds `more` to the number of devices that use the connection.  Returns the new number. */
int served_users(int more);

/* Sets whether a waiting thread may spin: the server must not need this thread's CPU. */
void served_set_spin(bool spins);

/* Sends a request and waits for its answer, in a channel of its own, or in the first channel if
 * all others are taken.  *value may be NULL.  GPU_FAILED if the connection is lost, or after
 * gpu_served_set_patience. */
enum gpu_status served_call(const struct served_request *request, uint64_t *value);

/* The same; calls serve(of, nanoseconds) until there is an answer, or all is served.  Returns
 * GPU_LEFT if that says GPU_SERVED_LEFT: *sent is under way then, until served_has_answered returns
 * true.  GPU_NOMEM if no channel is free. */
enum gpu_status served_call_serving(const struct served_request *request, struct gpu_sent *sent,
                                    uint64_t *value, enum gpu_served (*serve)(void *of, int64_t ns),
                                    void *of);

/* Sends a request, for whose answer the caller does not wait: *sent is under way until
 * served_has_answered returns true.  GPU_NOMEM if no channel is free. */
enum gpu_status served_begin_call(const struct served_request *request, struct gpu_sent *sent);

/* Returns true if the server has answered *sent, or there is none; then its channel is free, and
 * *status is the answer. */
bool served_has_answered(struct gpu_sent *sent, enum gpu_status *status);

/* Waits for the answer to *sent; then its channel is free. Returns GPU_FAILED if the server has
 * ended, or does not answer for the time of gpu_served_set_patience. */
enum gpu_status served_await_answer(struct gpu_sent *sent);

/* Sends a request that has no answer, or whose answer is not waited for. */
enum gpu_status served_post(const struct served_request *request);

/* Sends a request as served_post does, but never waits.  Returns false if another thread uses
 * channel 0, or if channel 0 is full. */
bool served_try_post(const struct served_request *request);

#endif
