/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A function in place of that of a leaf that cannot be built: nobody calls it, as nothing
 * can be opened there. */
#define NEVER_CALLED(type, function, ...) \
    type function(__VA_ARGS__)            \
    {                                     \
        __builtin_trap();                 \
    }
