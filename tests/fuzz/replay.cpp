// Runs a harness without libFuzzer: with each seed, and with COUNT mutated ones, which are always the same.
//
//   NAME_fuzzer FOLDER COUNT

#include "tests/fuzz/fuzzer.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

namespace {

using text = std::string;

std::vector<text> seeds_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator{folder}, {});
  std::sort(files.begin(), files.end());
  std::vector<text> result;
  for (const auto& file : files) {
    std::ifstream from{file, std::ios::binary};
    result.emplace_back(std::istreambuf_iterator<char>{from}, std::istreambuf_iterator<char>{});
  }
  return result;
}

/// Bytes that are special for the tested readers.
constexpr std::string_view special{"\r\n\0\"\\{}[]:, \x80\xff", 14};

/// Mutates seeds. The random numbers are the same on every machine, unlike those of the standard distributions.
class mutator {
public:
  explicit mutator(const std::vector<text>& seeds) : seeds_{seeds} {}

  text next() {
    auto result = any_seed();
    for (auto changes = 1 + below(4); changes != 0; --changes)
      change(result);
    return result;
  }

private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const text& any_seed() { return seeds_[below(seeds_.size())]; }
  text any_part(const text& of) {
    auto at = below(of.size());
    return of.substr(at, 1 + below(of.size() - at));
  }

  void change(text& one) {
    const auto at = below(one.size() + 1);
    switch (below(5)) {
    case 0:
      one.insert(at, 1, static_cast<char>(below(256)));
      break;
    case 1:
      one.insert(at, any_part(any_seed()));
      break;
    case 2:
      one.erase(at, 1 + below(16));
      break;
    case 3:
      one.insert(at, 1, special[below(special.size())]);
      break;
    default:
      if (at < one.size())
        one[at] = static_cast<char>(one[at] ^ 1 << below(8));
    }
  }

  const std::vector<text>& seeds_;
  std::mt19937 random_{1};
};

void run(const text& one) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(one.data()), one.size()); }

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return std::fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]), 2;
  const auto seeds = seeds_in(argv[1]);
  if (seeds.empty())
    return std::fprintf(stderr, "no seeds in %s\n", argv[1]), 2;
  for (const auto& one : seeds)
    run(one);
  mutator changed{seeds};
  for (auto count = std::strtoul(argv[2], nullptr, 10); count != 0; --count)
    run(changed.next());
  return 0;
}
