/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Before the next variant of strided.cl or contiguous.cl: their own macros. */
#undef LOG_R
#undef LOG_POINTS
#undef LOG_C
#undef POINTS
#undef THREADS
#undef STAGES
#undef LAST_Q
#undef LAST_DONE
#undef CAT_
#undef CAT
#undef radix_forward_last
#undef radix_inverse_last
#undef EACH
#undef IN_DATA
#undef IN_LOCAL
#undef PADDED
#undef LOCAL_FACTORS
#undef STEP
#undef PADDED_STEP
#undef SERIES_PROGRAM
