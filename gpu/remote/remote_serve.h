/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The process that has the devices of a CPU: what it does with a request. */
#ifndef MPGPU_REMOTE_SERVE_H
#define MPGPU_REMOTE_SERVE_H

#include <stdbool.h>

#include "gpu/remote/remote.h"

/* Calls the backend as the request says; its answer, where it has one, is left in *shared.  True
 * where it has. */
bool remote_serve(const struct gpu_backend *backend, struct remote_shared *shared,
                  const struct remote_request *request);

/* A message for the program. */
void remote_serve_log(struct remote_shared *shared, int level, const char *text);

#endif
