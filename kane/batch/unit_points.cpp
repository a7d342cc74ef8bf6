#include "kane/batch/unit_points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/batch/philox.hpp"

namespace kane {

namespace {

struct SamplingName {
  std::string_view name;
  Sampling sampling;
};

/// The first name of each is the one it is shown with.
constexpr std::array<SamplingName, 7> kSamplings = {{{"random", Sampling::Random},
                                                     {"lhs", Sampling::LatinHypercube},
                                                     {"latin", Sampling::LatinHypercube},
                                                     {"sobol", Sampling::Sobol},
                                                     {"halton", Sampling::Halton},
                                                     {"saltelli", Sampling::Saltelli},
                                                     {"morris", Sampling::Morris}}};

std::vector<std::uint32_t> first_primes(std::uint32_t count) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t n = 2; primes.size() < count; ++n)
    if (std::none_of(primes.begin(), primes.end(), [&](std::uint32_t p) { return n % p == 0; })) primes.push_back(n);
  return primes;
}

}  // namespace

std::string_view to_string(Sampling sampling) {
  return std::find_if(kSamplings.begin(), kSamplings.end(), [&](const auto& s) { return s.sampling == sampling; })
      ->name;
}

Sampling sampling_from(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& s : kSamplings) {
    if (s.name == name) return s.sampling;
    known.emplace_back(s.name);
  }
  throw ModelError(
      fmt::format("unknown sampling '{}'{} (known: {})", name, suggestion(name, known), fmt::join(known, ", ")));
}

std::uint64_t permute(std::uint64_t j, std::uint64_t count, std::uint64_t seed, std::uint32_t dimension) {
  if (count < 2) return 0;
  const auto half = static_cast<unsigned>(std::max(1, static_cast<int>((std::bit_width(count - 1) + 1) / 2)));
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr int kRounds = 4;
  do {
    std::uint64_t left = j >> half, right = j & mask;
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t f =
          random_bits(seed, RandomUse::Stratum, right * kRounds + static_cast<std::uint64_t>(round), dimension) & mask;
      const std::uint64_t next = left ^ f;
      left = right, right = next;
    }
    j = (left << half) | right;
  } while (j >= count);  // ends: a permutation of a finite set comes back to the range it started from
  return j;
}

UnitPoints::UnitPoints(Sampling sampling, std::uint32_t dimensions, std::uint64_t count, std::uint64_t seed)
    : sampling_(sampling), count_(std::max<std::uint64_t>(count, 1)), seed_(seed) {
  if (sampling == Sampling::Sobol) sobol_.emplace(dimensions, seed);
  if (sampling == Sampling::Halton) primes_ = first_primes(dimensions);
}

double UnitPoints::unit(std::uint64_t j, std::uint32_t dimension) const {
  switch (sampling_) {
    case Sampling::LatinHypercube: return latin(j, dimension);
    case Sampling::Sobol: return sobol_->unit(j, dimension);
    case Sampling::Halton: return halton(j, dimension);
    default: return random_unit(seed_, RandomUse::Sample, j, dimension);
  }
}

double UnitPoints::latin(std::uint64_t j, std::uint32_t dimension) const {
  const auto stratum = static_cast<double>(permute(j % count_, count_, seed_, dimension));
  const double x = (stratum + random_unit(seed_, RandomUse::Sample, j, dimension)) / static_cast<double>(count_);
  return std::min(x, 1 - 0x1p-53);
}

/// The digits of j in the base of the dimension, each permuted at random (the permutation depends on the digit's place),
/// behind the point. Zeros that follow the last digit are permuted as well, as far as double precision reaches.
double UnitPoints::halton(std::uint64_t j, std::uint32_t dimension) const {
  const std::uint64_t base = primes_[dimension];
  double x = 0, place = 1;
  std::uint64_t left = j;
  for (std::uint32_t digit = 0; place > 0x1p-52; ++digit) {
    place /= static_cast<double>(base);
    const auto key = seed_ + 0x9E3779B97F4A7C15U * (digit + 1);
    x += place * static_cast<double>(permute(left % base, base, key, dimension));
    left /= base;
  }
  return std::clamp(x + 0.5 * place, 0x1p-53, 1 - 0x1p-53);
}

}  // namespace kane
