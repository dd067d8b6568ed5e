// SPDX-License-Identifier: Apache-2.0
// Twelve cases of Google Benchmark, each of which does EXTRA percent more work. PAD bytes
// lie before the code, and TEXT is data that no case reads. Compiled by scripts/bench
// harness.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "planted.h"

static const bool told = (benchmark::AddCustomContext("text", TEXT), true);

template <class Work> static void repeat(benchmark::State &state, Work work)
{
    for (auto _ : state)
        for (int i = 0; i < 100 + EXTRA; i++)
            benchmark::DoNotOptimize(work());
}

static std::vector<float> floats(size_t n)
{
    std::vector<float> data(n);
    for (size_t i = 0; i < n; i++)
        data[i] = 0.5f + static_cast<float>(i * 37 % 101) / 101;
    return data;
}

static void BM_sum(benchmark::State &state)
{
    const auto a = floats(static_cast<size_t>(state.range(0)));
    repeat(state, [&] {
        float sum = 0;
        for (float x : a)
            sum += x;
        return sum;
    });
}
BENCHMARK(BM_sum)->Arg(64)->Arg(1024);

static void BM_axpy(benchmark::State &state)
{
    const auto a = floats(1024);
    auto b = floats(1024);
    repeat(state, [&] {
        for (size_t i = 0; i < a.size(); i++)
            b[i] = b[i] * 0.5f + a[i];
        benchmark::ClobberMemory();
        return b[0];
    });
}
BENCHMARK(BM_axpy);

static void BM_sqrt(benchmark::State &state)
{
    const auto a = floats(128);
    repeat(state, [&] {
        float sum = 0;
        for (float x : a)
            sum += std::sqrt(x);
        return sum;
    });
}
BENCHMARK(BM_sqrt);

static void BM_matrix(benchmark::State &state)
{
    const size_t n = static_cast<size_t>(state.range(0));
    const auto a = floats(n * n), b = floats(n * n);
    std::vector<float> c(n * n);
    repeat(state, [&] {
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                for (size_t j = 0; j < n; j++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        return c[0];
    });
}
BENCHMARK(BM_matrix)->Arg(8)->Arg(16);

static void BM_sort(benchmark::State &state)
{
    const auto a = floats(64);
    repeat(state, [&] {
        auto copy = a;
        std::sort(copy.begin(), copy.end());
        return copy[0];
    });
}
BENCHMARK(BM_sort);

static void BM_map(benchmark::State &state)
{
    std::unordered_map<int, int> map;
    for (int i = 0; i < 1000; i++)
        map[i * 7919] = i;
    repeat(state, [&] {
        int sum = 0;
        for (int i = 0; i < 20; i++)
            sum += map[i * 50 * 7919];
        return sum;
    });
}
BENCHMARK(BM_map);

static void BM_copy(benchmark::State &state)
{
    const auto a = floats(4096);
    std::vector<float> b(4096);
    repeat(state, [&] {
        std::memcpy(b.data(), a.data(), a.size() * sizeof a[0]);
        benchmark::ClobberMemory();
        return b[0];
    });
}
BENCHMARK(BM_copy);

static void BM_parse(benchmark::State &state)
{
    const std::string text = "1,22,333,4444,55555,666666,7777777,88888888";
    repeat(state, [&] {
        uint64_t sum = 0, number = 0;
        for (char c : text) {
            if (c == ',')
                sum += number, number = 0;
            else
                number = number * 10 + static_cast<uint64_t>(c - '0');
        }
        return sum + number;
    });
}
BENCHMARK(BM_parse);

static void BM_string(benchmark::State &state)
{
    repeat(state, [&] {
        std::string text;
        for (int i = 0; i < 10; i++)
            text += "a piece of text ";
        return text.size();
    });
}
BENCHMARK(BM_string);

static void BM_hash(benchmark::State &state)
{
    repeat(state, [] {
        uint64_t hash = 1469598103934665603u;
        for (uint64_t i = 0; i < 64; i++)
            hash = (hash ^ i) * 1099511628211u;
        return hash;
    });
}
BENCHMARK(BM_hash);

BENCHMARK_MAIN();
