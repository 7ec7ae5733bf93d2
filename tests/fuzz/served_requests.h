/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For the fuzz targets of mpgpu-serve: a mock device in host memory, and requests made from
 * input bytes. */
#ifndef MPGPU_SERVED_REQUESTS_H
#define MPGPU_SERVED_REQUESTS_H

#include "tools/serve/serve.h"

enum { SERVED_REQUESTS_DEVICES = 2, SERVED_REQUESTS_BYTES = 8 /* of a request */ };
/* Initialises the mock devices of the server; call it once. */
void served_requests_prepare(void);

/* Waits until all clients have ended, and checks that their memory is released. */
void served_requests_end(void);

/* Makes a request from SERVED_REQUESTS_BYTES input bytes. */
void served_requests_take(struct served_request *r, const uint8_t *byte);

#endif
