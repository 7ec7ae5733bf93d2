/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device of host memory for the fuzz targets of mpgpu-serve, and requests made of bytes. */
#ifndef MPGPU_SERVED_REQUESTS_H
#define MPGPU_SERVED_REQUESTS_H

#include "tools/serve/serve.h"

enum { SERVED_REQUESTS_DEVICES = 2, SERVED_REQUESTS_BYTES = 16 /* of a request */ };
/* The server has such devices. */
void served_requests_prepare(void);

/* Once all clients end: what they had is released. */
void served_requests_end(void);

/* A request, made of SERVED_REQUESTS_BYTES bytes: of queue 1, and memory 2 and 3, where these do
 * not say otherwise. */
void served_requests_take(struct served_request *r, const uint8_t *byte);

#endif
