/* SPDX-License-Identifier: Apache-2.0 */
/* Private to html/: the page, made by scripts/embed_page.py. */
#pragma once

/* All that stands before the data, and behind it: UTF-8 that ends with zero. */
extern const unsigned char html_head[], html_tail[];
