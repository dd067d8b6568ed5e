/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_op.h"

#define SHAPE_LIST(list, summary_, shapes_)           \
    static const struct simdbench_shape_list list = { \
        .size = sizeof list,                          \
        .name = #list,                                \
        .summary = summary_,                          \
        .shapes = shapes_,                            \
    };

SHAPE_LIST(
    burn, "layers of Burn's conv2d benchmark, the first with its batch of 16",
    "n16c16h512w512k16r3s3 n1c3h227w227k96r11s11u4v4 n1c3h231w231k96r11s11u4v4 "
    "n1c3h227w227k64r7s7u2v2 n1c64h224w224k64r7s7u2v2 n1c96h24w24k256r5s5 "
    "n1c256h12w12k512r3s3 n1c3h224w224k64r3s3 n1c64h112w112k128r3s3 n1c64h56w56k64r3s3 "
    "n1c128h28w28k128r3s3 n1c256h14w14k256r3s3 n1c512h7w7k512r3s3 n1c96h224w224k64r1s1")

SHAPE_LIST(resnet50, "ResNet-50 v1.5 (its 3x3 layers have the stride), batch 1",
           "n1c3h224w224k64r7s7u2v2p3q3 n1c64h56w56k64r1s1 n1c64h56w56k64r3s3p1q1 "
           "n1c64h56w56k256r1s1 n1c256h56w56k64r1s1 n1c256h56w56k128r1s1 "
           "n1c128h56w56k128r3s3u2v2p1q1 n1c128h28w28k512r1s1 n1c256h56w56k512r1s1u2v2 "
           "n1c512h28w28k128r1s1 n1c128h28w28k128r3s3p1q1 n1c512h28w28k256r1s1 "
           "n1c256h28w28k256r3s3u2v2p1q1 n1c256h14w14k1024r1s1 n1c512h28w28k1024r1s1u2v2 "
           "n1c1024h14w14k256r1s1 n1c256h14w14k256r3s3p1q1 n1c1024h14w14k512r1s1 "
           "n1c512h14w14k512r3s3u2v2p1q1 n1c512h7w7k2048r1s1 n1c1024h14w14k2048r1s1u2v2 "
           "n1c2048h7w7k512r1s1 n1c512h7w7k512r3s3p1q1")

/* Layers of one size on a line. */
SHAPE_LIST(vgg16, "VGG-16, batch 1",
           "n1c3h224w224k64r3s3p1q1 n1c64h224w224k64r3s3p1q1 "
           "n1c64h112w112k128r3s3p1q1 n1c128h112w112k128r3s3p1q1 "
           "n1c128h56w56k256r3s3p1q1 n1c256h56w56k256r3s3p1q1 "
           "n1c256h28w28k512r3s3p1q1 n1c512h28w28k512r3s3p1q1 "
           "n1c512h14w14k512r3s3p1q1")

/* A depthwise layer and the 1x1 after it on a line. */
SHAPE_LIST(mobilenet, "MobileNet v1 (width 1, 224 x 224), depthwise layers too, batch 1",
           "n1c3h224w224k32r3s3u2v2p1q1 "
           "n1c32h112w112k32r3s3p1q1g32 n1c32h112w112k64r1s1 "
           "n1c64h112w112k64r3s3u2v2p1q1g64 n1c64h56w56k128r1s1 "
           "n1c128h56w56k128r3s3p1q1g128 n1c128h56w56k128r1s1 "
           "n1c128h56w56k128r3s3u2v2p1q1g128 n1c128h28w28k256r1s1 "
           "n1c256h28w28k256r3s3p1q1g256 n1c256h28w28k256r1s1 "
           "n1c256h28w28k256r3s3u2v2p1q1g256 n1c256h14w14k512r1s1 "
           "n1c512h14w14k512r3s3p1q1g512 n1c512h14w14k512r1s1 "
           "n1c512h14w14k512r3s3u2v2p1q1g512 n1c512h7w7k1024r1s1 "
           "n1c1024h7w7k1024r3s3p1q1g1024 n1c1024h7w7k1024r1s1")

/* One call's operands fit in L1, L2 and L3 of most CPUs, and in none; 3x3 and 1x1. */
SHAPE_LIST(suite, "what simdbench all measures",
           "n1c16h14w14k16r3s3p1q1 n1c256h14w14k256r1s1 "
           "n1c256h14w14k256r3s3p1q1 n8c64h112w112k64r1s1")

const struct simdbench_shape_list *const conv_shape_lists[] = {
    &burn, &resnet50, &vgg16, &mobilenet, &suite, NULL};
