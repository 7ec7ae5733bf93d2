/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the device of a call. */
#ifndef MPGPU_SESSION_CHOOSE_H
#define MPGPU_SESSION_CHOOSE_H

#include "lib/dispatch/choice.h"
#include "lib/process/signal_guard.h"
#include "lib/session/session_device.h"

struct session_choice {
    /* NULL: the device to which the thread is bound cannot be used */
    struct session_device *device;
    struct choice_call call;
    /* The call is in its device's count of calls in progress. Calls are counted only if there are
     * several devices. */
    bool is_counted;
    int64_t start;
    /* functions that run before and after a signal handler during the call */
    struct signal_window window;
};

/* Chooses the device to which the thread is bound; otherwise the device expected to finish a
 * call of `bytes` bytes first. is_job: as in session_run_job. Costs no time if there is one
 * device. session_choose_end must follow. */
void session_choose(struct session_choice *c, size_t bytes, bool is_job);
void session_choose_end(struct session_choice *c, enum outcome outcome);

/* Returns the device that session_choose has chosen last in the calling thread. */
struct session_device *session_chosen_last(void);

#endif
