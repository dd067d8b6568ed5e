/* SPDX-License-Identifier: Apache-2.0 */
/* Times that are made up, see clock_script(): they follow from the work, so that they
 * grow with calls and shapes, and what is computed from them is known beforehand. */
#include "service.h"

#define FAULT_NS 500.0

/* Operations, or bytes where there are more of them: then no kernel is above its limit.
 */
static double work_of_call(const struct service *service,
                           const struct service_case *entry)
{
    const struct simdbench_kernel *const kernel = entry->kernel;
    const struct simdbench_operands operands = service_view(service, entry);
    const struct simdbench_op *const op = service_op(service, kernel->op);
    double ops = 0, bytes = 0;
    if (kernel->work)
        kernel->work(&operands, &ops, &bytes);
    else if (op)
        op->work(operands.shape, kernel->type, &ops, &bytes);
    return ops > bytes ? ops : bytes;
}

double service_script_ns(const struct service *service, const struct service_case *entry,
                         uint64_t copy, double faults)
{
    /* A call costs the loop something. */
    return 1 +
           clock_script_copy_rate(entry->kernel->variant, copy) *
               work_of_call(service, entry) +
           FAULT_NS * faults;
}

void service_script(const struct service *service, const struct service_case *entry,
                    const struct batch_call *call, struct sample *sample)
{
    if (!clock_script())
        return;
    const uint64_t calls = call->iterations;
    const double data =
        call->reset ? clock_script_rate("first") / clock_script_rate("") : 1;
    /* Faults that each call has are those of its conditions; others come by chance. */
    const int64_t faults = sample->minor_faults / (int64_t)calls;
    const double call_ns =
        data * service_script_ns(service, entry, call->copy, (double)faults);
    sample_script(sample, call_ns * (double)calls, entry->batches);
}
