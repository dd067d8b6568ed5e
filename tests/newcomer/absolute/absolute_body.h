/* SPDX-License-Identifier: Apache-2.0 */
/* The row for one element type T; the file that includes it has vector_<isa>.h. */
KERNEL_FUNCTION(absolute, , clear)
{
    const T *const x = operands->operand[0]->data;
    T *const y = operands->operand[1]->data;
    const size_t n = operands->operand[1]->count;
    size_t i = 0;

    (void)state;
    for (; i + LANES <= n; i += LANES)
        STORE(y + i, OF(magnitude)(LOAD(x + i)));
    if (i < n)
        OF(store_first)(y + i, OF(magnitude)(OF(load_first)(x + i, n - i)), n - i);
}

#undef T
