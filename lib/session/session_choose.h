/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device of a call. */
#ifndef MPGPU_SESSION_CHOOSE_H
#define MPGPU_SESSION_CHOOSE_H

#include "lib/dispatch/choice.h"
#include "lib/process/signal_guard.h"
#include "lib/session/session_device.h"

struct session_choice {
    struct session_device *device; /* NULL: the thread's device cannot be used */
    struct choice_call call;
    bool is_counted; /* there are several devices, or statistics are on */
    int64_t start;
    struct signal_window window; /* for a signal handler during the call */
};

/* Chooses the device that the thread is bound to; otherwise the device expected to finish a call of
 * `bytes` bytes first. is_job: as session_run_job. Costs no time if there is one device.
 * session_choose_end must follow. */
void session_choose(struct session_choice *c, size_t bytes, bool is_job);
void session_choose_end(struct session_choice *c, enum outcome outcome);

/* Returns the device that the calling thread has chosen last. */
struct session_device *session_chosen_last(void);

#endif
