// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Pattern detection against one summing pass (int32 into int64) over the same array.
//
//   BM_Sum/<isa>/<pattern>/<n>      the yardstick
//   BM_Detect/<isa>/<pattern>/<n>   detection
//   BM_DetectAgainstSum/<pattern>/<n>
//       both in turn, in short slices, as detect() would dispatch. Counter `ratio_to_sum` is the
//       median over the slices of (time of sum / time of detect): above 1, detection is faster.
//
// Every array's checksum and detected pattern are verified before anything is timed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "rankmap/patterns/detect.h"

namespace {

using avrankmap::detail::detect;
using avrankmap::detail::detect_isa;
using avrankmap::detail::detect_supported;
using avrankmap::detail::detect_with;
using avrankmap::detail::DetectIsa;
using avrankmap::detail::kDetectIsas;
using avrankmap::detail::Pattern;
using avrankmap::detail::PatternKind;

struct Named {
  const char *name;
  Pattern pattern;
};

constexpr Named kPatterns[] = {
    {"direct", {PatternKind::kDirect, 0, 1, 1}},
    {"offset", {PatternKind::kOffset, 1000, 1, 1}},
    {"stride", {PatternKind::kStride, 3, 7, 1}},
    {"blocked2", {PatternKind::kBlocked, 5, 8, 2}},
    {"blocked16", {PatternKind::kBlocked, 5, 64, 16}},
    {"blocked12", {PatternKind::kBlocked, 5, 24, 12}},
    {"blocked1001", {PatternKind::kBlocked, 5, 2048, 1001}},
    {"blocked3000", {PatternKind::kBlocked, 5, 4096, 3000}},
};

constexpr std::int64_t kSizes[] = {4096, 65536, 786432, 4194304};

const char *isa_name(DetectIsa isa) {
  switch (isa) {
  case DetectIsa::kPortable: return "portable";
  case DetectIsa::kSse2: return "sse2";
  case DetectIsa::kAvx2: return "avx2";
  }
  return "";
}

std::int64_t sum_portable(const std::int32_t *a, std::size_t n) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += a[i];
  }
  return sum;
}

// The yardstick is written out by hand, four independent sums in registers, so that it is the same
// at every optimisation level: a loop over an array of sums is not unrolled at -O2, and takes
// twice as long.
#if defined(__x86_64__)
std::int64_t add_up(const std::int64_t (&lanes)[8], const std::int32_t *rest, std::size_t n) {
  std::int64_t sum = sum_portable(rest, n);
  for (const std::int64_t lane : lanes) {
    sum += lane;
  }
  return sum;
}

__m128i load128(const std::int32_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }

std::int64_t sum_sse2(const std::int32_t *a, std::size_t n) {
  const __m128i zero = _mm_setzero_si128();
  __m128i sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;
  std::size_t i = 0;
  for (; n - i >= 8; i += 8) {
    const __m128i v = load128(a + i);
    const __m128i w = load128(a + i + 4);
    const __m128i v_sign = _mm_cmpgt_epi32(zero, v);
    const __m128i w_sign = _mm_cmpgt_epi32(zero, w);
    sum0 = _mm_add_epi64(sum0, _mm_unpacklo_epi32(v, v_sign));
    sum1 = _mm_add_epi64(sum1, _mm_unpackhi_epi32(v, v_sign));
    sum2 = _mm_add_epi64(sum2, _mm_unpacklo_epi32(w, w_sign));
    sum3 = _mm_add_epi64(sum3, _mm_unpackhi_epi32(w, w_sign));
  }
  alignas(16) std::int64_t lanes[8] = {};
  const __m128i sum = _mm_add_epi64(_mm_add_epi64(sum0, sum1), _mm_add_epi64(sum2, sum3));
  _mm_store_si128(reinterpret_cast<__m128i *>(lanes), sum);
  return add_up(lanes, a + i, n - i);
}

__attribute__((target("avx2"))) inline __m256i widened(const std::int32_t *p) {
  return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

__attribute__((target("avx2"))) std::int64_t sum_avx2(const std::int32_t *a, std::size_t n) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;
  std::size_t i = 0;
  for (; n - i >= 16; i += 16) {
    sum0 = _mm256_add_epi64(sum0, widened(a + i));
    sum1 = _mm256_add_epi64(sum1, widened(a + i + 4));
    sum2 = _mm256_add_epi64(sum2, widened(a + i + 8));
    sum3 = _mm256_add_epi64(sum3, widened(a + i + 12));
  }
  alignas(32) std::int64_t lanes[8] = {};
  const __m256i sum = _mm256_add_epi64(_mm256_add_epi64(sum0, sum1), _mm256_add_epi64(sum2, sum3));
  _mm256_store_si256(reinterpret_cast<__m256i *>(lanes), sum);
  return add_up(lanes, a + i, n - i);
}
#endif

using Sum = std::int64_t (*)(const std::int32_t *, std::size_t);

Sum sum_of(DetectIsa isa) {
#if defined(__x86_64__)
  if (isa == DetectIsa::kAvx2) {
    return sum_avx2;
  }
  return sum_sse2;
#else
  static_cast<void>(isa);
  return sum_portable;
#endif
}

// An array that starts at a cache line. The allocator's choice differs from run to run and shows in
// the results; this one is the best for the yardstick, which does not align its loads itself.
class Array {
public:
  Array(const Pattern &p, std::int64_t n) : size_(static_cast<std::size_t>(n)), storage_(size_ + kLine) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(storage_.data()) / sizeof(std::int32_t) % kLine;
    start_ = (kLine - past) % kLine;
    std::int32_t start = p.offset;
    std::int32_t within = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      storage_[start_ + i] = start + within;
      if (++within == p.block) {
        within = 0;
        start += p.stride;
      }
    }
  }

  [[nodiscard]] const std::int32_t *data() const { return storage_.data() + start_; }
  [[nodiscard]] std::size_t size() const { return size_; }

private:
  static constexpr std::size_t kLine = 64 / sizeof(std::int32_t);

  std::size_t size_;
  std::vector<std::int32_t> storage_;
  std::size_t start_ = 0;
};

// The sum of the pattern's values by formula.
std::int64_t expected_sum(const Pattern &p, std::int64_t n) {
  const std::int64_t blocks = n / p.block;
  const std::int64_t rest = n % p.block;
  return n * p.offset + p.stride * (p.block * (blocks * (blocks - 1) / 2) + blocks * rest) +
         blocks * (std::int64_t{p.block} * (p.block - 1) / 2) + rest * (rest - 1) / 2;
}

bool verified(benchmark::State &state, DetectIsa isa, const Pattern &pattern, const Array &a) {
  const auto n = static_cast<std::int64_t>(a.size());
  if (sum_of(isa)(a.data(), a.size()) != expected_sum(pattern, n)) {
    state.SkipWithError("the checksum of the array is wrong");
    return false;
  }
  if (detect_with(isa, a.data(), a.size()) != pattern || detect(a.data(), a.size()) != pattern) {
    state.SkipWithError("the pattern was not detected");
    return false;
  }
  return true;
}

void count_elements(benchmark::State &state, std::size_t n) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(n * sizeof(std::int32_t)));
}

void BM_Sum(benchmark::State &state, DetectIsa isa, const Pattern &pattern) {
  const Array a(pattern, state.range(0));
  if (!verified(state, isa, pattern, a)) {
    return;
  }
  const Sum sum = sum_of(isa);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(sum(a.data(), a.size()));
    benchmark::ClobberMemory();
  }
  count_elements(state, a.size());
}

void BM_Detect(benchmark::State &state, DetectIsa isa, const Pattern &pattern) {
  const Array a(pattern, state.range(0));
  if (!verified(state, isa, pattern, a)) {
    return;
  }
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(detect_with(isa, a.data(), a.size()));
    benchmark::ClobberMemory();
  }
  count_elements(state, a.size());
}

template <typename F> double seconds(std::size_t repeats, F &&f) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repeats; ++i) {
    benchmark::DoNotOptimize(f());
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> &v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

void BM_DetectAgainstSum(benchmark::State &state, const Pattern &pattern) {
  const Array a(pattern, state.range(0));
  const DetectIsa isa = detect_isa();
  if (!verified(state, isa, pattern, a)) {
    return;
  }
  const Sum sum = sum_of(isa);
  // Slices of about half a million elements: long against the clock, short against the scheduler.
  const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{1} << 19) / a.size());
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    const double sum_time = seconds(repeats, [&] { return sum(a.data(), a.size()); });
    const double detect_time = seconds(repeats, [&] { return detect(a.data(), a.size()); });
    ratios.push_back(sum_time / detect_time);
    state.SetIterationTime(detect_time);
  }
  count_elements(state, a.size() * repeats);
  state.counters["ratio_to_sum"] = median(ratios);
  state.SetLabel(isa_name(isa));
}

void register_all() {
  for (const Named &p : kPatterns) {
    const std::string suffix = std::string("/") + p.name;
    for (const std::int64_t n : kSizes) {
      benchmark::RegisterBenchmark(("BM_DetectAgainstSum" + suffix).c_str(), BM_DetectAgainstSum, p.pattern)
          ->Arg(n)
          ->UseManualTime();
    }
  }
  for (const DetectIsa isa : kDetectIsas) {
    if (!detect_supported(isa)) {
      continue;
    }
    for (const Named &p : kPatterns) {
      const std::string suffix = std::string("/") + isa_name(isa) + "/" + p.name;
      for (const std::int64_t n : kSizes) {
        benchmark::RegisterBenchmark(("BM_Sum" + suffix).c_str(), BM_Sum, isa, p.pattern)->Arg(n);
        benchmark::RegisterBenchmark(("BM_Detect" + suffix).c_str(), BM_Detect, isa, p.pattern)->Arg(n);
      }
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
