/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starting mpgpu-serve for a program: gpu_served_await in gpu/gpu.h. */
#ifndef MPGPU_SERVED_START_H
#define MPGPU_SERVED_START_H

/* The argument by which mpgpu-serve knows that a program has started it. */
#define SERVED_ON_DEMAND "--on-demand"

/* Starts a private server.  Its key (served_socket_private) is the next argument. */
#define SERVED_OWNER "--owner"

#endif
