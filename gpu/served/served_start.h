/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Command-line options by which a program starts mpgpu-serve (gpu_served_await in gpu/gpu.h). */
#ifndef MPGPU_SERVED_START_H
#define MPGPU_SERVED_START_H

/* The option with which a program starts mpgpu-serve. */
#define SERVED_ON_DEMAND "--on-demand"

/* The option for a private server. Its key (served_socket_private) is the next argument. */
#define SERVED_OWNER "--owner"

#endif
