// SPDX-License-Identifier: Apache-2.0

// Package suite has four cases of Go's testing package, each of which does `extra` percent
// more work, a constant that scripts/bench harness writes into a file beside this one, with a
// function of some length.
package suite

import (
    "os"
    "sort"
    "strconv"
    "testing"
)

var sink int

func TestMain(m *testing.M) {
    if pad(len(os.Args)) == 12345 {
        println(text)
    }
    os.Exit(m.Run())
}

func BenchmarkSum(b *testing.B) {
    data := make([]int, 512)
    for i := 0; i < b.N; i++ {
        for k := 0; k < 100+extra; k++ {
            for _, x := range data {
                sink += x
            }
        }
    }
}

func BenchmarkSort(b *testing.B) {
    data := make([]int, 32)
    for i := 0; i < b.N; i++ {
        for k := 0; k < 100+extra; k++ {
            for i := range data {
                data[i] = i * 37 % 101
            }
            sort.Ints(data)
        }
    }
}

func BenchmarkMap(b *testing.B) {
    data := map[int]int{}
    for i := 0; i < 1000; i++ {
        data[i*7919] = i
    }
    for i := 0; i < b.N; i++ {
        for k := 0; k < 100+extra; k++ {
            sink += data[50*7919] + data[500*7919]
        }
    }
}

func BenchmarkFormat(b *testing.B) {
    var text [32]byte
    for i := 0; i < b.N; i++ {
        for k := 0; k < 100+extra; k++ {
            sink += len(strconv.AppendInt(text[:0], 123456789, 10))
        }
    }
}
