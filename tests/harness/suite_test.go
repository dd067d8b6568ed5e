// SPDX-License-Identifier: Apache-2.0

// Package suite has four cases of Go's testing package, each of which does `extra` percent
// more work, a constant that scripts/bench harness writes into a file beside this one.
package suite

import (
    "sort"
    "strconv"
    "testing"
)

var sink int

func repeat(b *testing.B, work func() int) {
    for i := 0; i < b.N; i++ {
        for k := 0; k < 100+extra; k++ {
            sink += work()
        }
    }
}

func BenchmarkSum(b *testing.B) {
    data := make([]int, 512)
    repeat(b, func() int {
        sum := 0
        for _, x := range data {
            sum += x
        }
        return sum
    })
}

func BenchmarkSort(b *testing.B) {
    data := make([]int, 32)
    repeat(b, func() int {
        for i := range data {
            data[i] = i * 37 % 101
        }
        sort.Ints(data)
        return data[0]
    })
}

func BenchmarkMap(b *testing.B) {
    data := map[int]int{}
    for i := 0; i < 1000; i++ {
        data[i*7919] = i
    }
    repeat(b, func() int { return data[50*7919] + data[500*7919] })
}

func BenchmarkFormat(b *testing.B) {
    var text [32]byte
    repeat(b, func() int { return len(strconv.AppendInt(text[:0], 123456789, 10)) })
}
