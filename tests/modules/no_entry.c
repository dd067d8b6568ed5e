/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object, but no module. */
int no_entry(void);

int no_entry(void)
{
    return 1;
}
