/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the device of a call. */
#ifndef MPGPU_SESSION_CHOOSE_H
#define MPGPU_SESSION_CHOOSE_H

#include "lib/dispatch/choice.h"
#include "lib/process/signal_guard.h"
#include "lib/session/session_device.h"

struct session_choice {
    /* the chosen device; NULL: none can be used, or not the device that the thread is bound to */
    struct session_device *device;
    struct choice_call call;
    /* true if the call is counted as in progress on its device; never true if there is only one
     * device */
    bool is_counted;
    int64_t start;
    /* functions to call before and after a signal handler that runs during the call */
    struct signal_window window;
};

/* Chooses the device that the thread is bound to; otherwise the device expected to finish a call of
 * `bytes` bytes first. is_job: the call is a job, as in session_run_job. Takes no time if there is
 * only one device. The caller must call session_choose_end afterwards. */
void session_choose(struct session_choice *c, size_t bytes, bool is_job);
void session_choose_end(struct session_choice *c, enum outcome outcome);

/* Returns the device that session_choose has chosen last in the calling thread. */
struct session_device *session_chosen_last(void);

#endif
