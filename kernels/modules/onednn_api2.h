/* SPDX-License-Identifier: Apache-2.0 */
/* Inside module `onednn`: what only API 2 of oneDNN has. */
#pragma once

#include <oneapi/dnnl/dnnl.h>

#define ONEDNN_MODULE "onednn"
#define ONEDNN_FILE "libdnnl.so.2"
#define ONEDNN_ADVICE \
    "install oneDNN 2, e.g. package libdnnl2; oneDNN 3 is for --baseline=onednn3"

/* API 3 has this name for a handle. */
typedef const dnnl_memory_desc_t *const_dnnl_memory_desc_t;
