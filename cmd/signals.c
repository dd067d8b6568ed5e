/* SPDX-License-Identifier: Apache-2.0 */
/* How a program that may take long meets signals. */
#include "worker.h"

#include <signal.h>

static void on_signal(int number)
{
    interrupted_by = number;
}

void signals_catch(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}
