/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device of host memory for the fuzz targets of mpgpu-serve, and requests made of bytes. */
#ifndef MPGPU_SERVED_REQUESTS_H
#define MPGPU_SERVED_REQUESTS_H

#include "tools/serve/serve.h"

enum { SERVED_REQUESTS_DEVICES = 2, SERVED_REQUESTS_BYTES = 8 /* of a request */ };
/* Prepares the server's mock devices. */
void served_requests_prepare(void);

/* Ends all clients and checks that their memory is released. */
void served_requests_end(void);

/* A request, made of SERVED_REQUESTS_BYTES bytes. */
void served_requests_take(struct served_request *r, const uint8_t *byte);

#endif
