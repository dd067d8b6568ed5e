/* SPDX-License-Identifier: Apache-2.0 */
#include "mutate_json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const tokens[] = {
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "\"\"",
    "\"ok\"",
    "0",
    "-1",
    "0.5",
    "-0.0",
    "1e17",
    "1e999",
    "1e-320",
    "1.7976931348623157e308",
    "4294967296",
    "18446744073709551616",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "[null]",
    "{\"a\":{}}",
    "\"x\\u001b[31m|<b>\\\"%s\\n\""};

uint64_t mutate_random(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t draw(uint64_t *seed, size_t n)
{
    return (size_t)(mutate_random(seed) % n);
}

static size_t count_nodes(const cJSON *tree)
{
    size_t n = 1;
    for (const cJSON *child = tree->child; child; child = child->next)
        n += count_nodes(child);
    return n;
}

/* The node with number `*left` in document order, and its parent. */
static cJSON *find_node(cJSON *tree, cJSON *above, size_t *left, cJSON **parent)
{
    *parent = above;
    if (!(*left)--)
        return tree;
    for (cJSON *child = tree->child; child; child = child->next) {
        cJSON *found = find_node(child, tree, left, parent);
        if (found)
            return found;
    }
    return NULL;
}

/* Any node but the root, which has no parent. */
static cJSON *draw_node(cJSON *tree, uint64_t *seed, cJSON **parent)
{
    size_t n = count_nodes(tree), left = 1 + (n > 1 ? draw(seed, n - 1) : 0);
    return n > 1 ? find_node(tree, NULL, &left, parent) : NULL;
}

static void replace(cJSON *parent, cJSON *node, cJSON *other)
{
    if (node->string)
        other->string = strdup(node->string);
    cJSON_ReplaceItemViaPointer(parent, node, other);
}

/* Behind the others, under the name that `like` has. */
static void append(cJSON *parent, const cJSON *like, cJSON *other)
{
    if (cJSON_IsObject(parent))
        cJSON_AddItemToObject(parent, like->string ? like->string : "0", other);
    else
        cJSON_AddItemToArray(parent, other);
}

static void change(cJSON *tree, uint64_t *seed)
{
    cJSON *parent, *from, *node = draw_node(tree, seed, &parent);
    cJSON *other = draw_node(tree, seed, &from);
    if (!node)
        return;
    switch (draw(seed, 7)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, node));
        break;
    case 1:
        append(parent, node, cJSON_Duplicate(node, true));
        break;
    case 2:
    case 3:
        replace(parent, node, cJSON_CreateRaw(tokens[draw(seed, COUNT(tokens))]));
        break;
    case 4: {
        cJSON *copy = cJSON_Duplicate(other, true);
        free(copy->string);
        copy->string = NULL;
        replace(parent, node, copy);
        break;
    }
    case 5:
        if (node->string && other->string) {
            char *name = strdup(other->string);
            free(node->string);
            node->string = name;
        }
        break;
    default:
        if (cJSON_IsNumber(node)) {
            static const double factor[] = {-1, 0, 0.5, 2, 1e-30, 1e30, 1e300};
            cJSON_SetNumberValue(node,
                                 node->valuedouble * factor[draw(seed, COUNT(factor))]);
        }
    }
}

char *mutate_json(const char *text, size_t size, uint64_t *seed)
{
    cJSON *tree = cJSON_ParseWithLength(text, size);
    char *made = NULL;
    if (!tree)
        return NULL;
    for (size_t n = 1 + draw(seed, 3); n; n--)
        change(tree, seed);
    made = cJSON_PrintUnformatted(tree);
    cJSON_Delete(tree);
    return made;
}

size_t mutate_bytes(char *bytes, size_t size, size_t room, uint64_t *seed)
{
    size_t at = draw(seed, size), from = draw(seed, size), length = 1 + draw(seed, 16);
    const char *token = tokens[draw(seed, COUNT(tokens))];
    length = at + length > size ? size - at : length;
    switch (draw(seed, 5)) {
    case 0:
        bytes[at] ^= (char)(1 << draw(seed, 8));
        break;
    case 1:
        memmove(bytes + at, bytes + at + length, size - at - length);
        size -= length;
        break;
    case 2:
        length = from + length > size ? size - from : length;
        memmove(bytes + at, bytes + from, length);
        break;
    case 3:
        length = strlen(token);
        if (size + length > room)
            break;
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, token, length);
        size += length;
        break;
    default: /* as a disk that was full */
        size = at;
    }
    return size ? size : 1;
}
