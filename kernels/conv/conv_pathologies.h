/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the rows of conv that are slow on purpose. They take blocks of channels in one
 * group; pictures stay out.
 */
#pragma once

#include "conv.h"

struct conv_pathology {
    struct conv_shape shape;
    float *weights; /* [kb][c][r][s][b], aligned to 64 bytes */
};
