/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The program's connection to the server mpgpu-serve. All threads share the connection; each
 * request uses one of its channels. */
#ifndef MPGPU_SERVED_CHANNEL_H
#define MPGPU_SERVED_CHANNEL_H

#include <stdbool.h>

#include "gpu/served/served.h"

/* Connects to the server of this user and receives its list of devices.  GPU_ABSENT if no server
 * runs.  The connection ends with the calling thread. */
enum gpu_status served_connect(struct served_welcome *welcome);

/* Ends the connection. */
void served_disconnect(void);

/* Returns the memory shared with the server; NULL if there is no connection or it was lost. */
struct served_shared *served_memory(void);

/* Adds `more` to the number of open devices that use the connection. Returns the new number. */
int served_users(int more);

/* Sets whether a thread that waits for an answer may spin. Waiting threads must not spin if the
 * server needs their CPU. */
void served_set_spin(bool spins);

/* Sends a request and waits for its answer: in a channel of its own, or in channel 0 if all others
 * are taken. `value` may be NULL. Returns GPU_FAILED if the connection is lost, or no answer
 * arrives in the time of gpu_served_set_patience. */
enum gpu_status served_call(const struct served_request *request, uint64_t *value);

/* Sends a request, and repeatedly calls serve with a time in nanoseconds, until the answer arrives
 * or serve returns GPU_SERVED_ALL. If serve returns GPU_SERVED_LEFT, returns GPU_LEFT: *sent is
 * then under way until served_has_answered returns true. Returns GPU_NOMEM if no channel is
 * free. */
enum gpu_status served_call_serving(const struct served_request *request, struct gpu_sent *sent,
                                    uint64_t *value, enum gpu_served (*serve)(void *of, int64_t ns),
                                    void *of);

/* Sends a request without waiting for its answer. *sent is under way until served_has_answered
 * returns true. Returns GPU_NOMEM if no channel is free. */
enum gpu_status served_begin_call(const struct served_request *request, struct gpu_sent *sent);

/* Returns true if the server has answered *sent, or if there is no server any more. Then sets
 * *status to the answer or failure and frees the channel. */
bool served_has_answered(struct gpu_sent *sent, enum gpu_status *status);

/* Waits for the answer to *sent and frees its channel. Returns GPU_FAILED if the server has
 * ended, or does not answer in the time of gpu_served_set_patience. */
enum gpu_status served_await_answer(struct gpu_sent *sent);

/* Sends a request without waiting for an answer. Waits only while another thread uses channel 0, or
 * the channel is full. */
enum gpu_status served_post(const struct served_request *request);

/* Sends a request as served_post does, but never waits. Returns false if another thread uses
 * channel 0, if channel 0 is full, or without a server. */
bool served_try_post(const struct served_request *request);

#endif
