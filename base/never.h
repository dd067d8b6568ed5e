/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Defines a function in place of a leaf that cannot be built: nobody calls it, as nothing
 * can be opened there. */
#define NEVER_CALLED(type, function, ...) \
    type function(__VA_ARGS__)            \
    {                                     \
        __builtin_trap();                 \
    }
