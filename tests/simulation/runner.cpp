// Runs simulations for some minutes with fresh seeds, or one seed, and prints what breaks a rule, shrunk.

#include "tests/simulation/world.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

namespace {

using wall_clock = std::chrono::steady_clock;

struct options {
  std::uint64_t seed = 1;
  /// Duration; zero for one run with the seed.
  double minutes = 0;
  std::size_t lines = 60;
  std::size_t hosts = 0;
  bool is_verbose = false;
  bool has_store = true;
  bool goes_on = false;
  bool shrinks = true;
  std::set<fault_kind> kinds;
  std::set<rule> tolerated;
};

constexpr const char* usage = R"(usage: simulate [--seed N] [--minutes M] [--hosts N] [--lines N] [--faults LIST]
                [--tolerate LIST] [--no-store] [--verbose] [--go-on] [--no-shrink]
Without --minutes, one run with the seed. LIST has numbers of kinds, or names the first as `all` or `none`.
)";

std::vector<std::size_t> numbers_of(std::string_view list) {
  std::vector<std::size_t> result;
  while (!list.empty()) {
    auto word = list.substr(0, list.find(','));
    result.push_back(std::strtoul(std::string{word}.c_str(), nullptr, 10));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return result;
}

std::set<fault_kind> kinds_of(std::string_view list) {
  std::set<fault_kind> result;
  if (list == "all")
    for (std::size_t i = 0; i < fault_kinds; ++i)
      result.insert(static_cast<fault_kind>(i));
  else if (list != "none")
    for (auto number : numbers_of(list))
      result.insert(static_cast<fault_kind>(number));
  return result;
}

std::optional<options> read(std::vector<std::string> words) {
  options result;
  result.kinds = kinds_of("all");
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto& word = words[i];
    auto value = [&] { return i + 1 < words.size() ? words[++i] : std::string{}; };
    if (word == "--seed")
      result.seed = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--minutes")
      result.minutes = std::strtod(value().c_str(), nullptr);
    else if (word == "--hosts")
      result.hosts = std::strtoul(value().c_str(), nullptr, 10);
    else if (word == "--lines")
      result.lines = std::strtoul(value().c_str(), nullptr, 10);
    else if (word == "--faults")
      result.kinds = kinds_of(value());
    else if (word == "--tolerate")
      for (auto number : numbers_of(value()))
        result.tolerated.insert(static_cast<rule>(number));
    else if (word == "--no-store")
      result.has_store = false;
    else if (word == "--verbose")
      result.is_verbose = true;
    else if (word == "--go-on")
      result.goes_on = true;
    else if (word == "--no-shrink")
      result.shrinks = false;
    else
      return std::nullopt;
  }
  return result;
}

run_setup setup_for(const options& how, std::uint64_t seed) {
  run_setup result;
  result.seed = seed;
  result.hosts = how.hosts != 0 ? how.hosts : 2 + seed % 4;
  result.has_store = how.has_store;
  result.clients = 3 * result.hosts;
  result.tolerated = how.tolerated;
  return result;
}

void report(const options& how, const run_setup& setup, fault_plan plan, const run_result& result) {
  std::cout << "seed " << setup.seed << ": " << result.violation << "\n";
  if (how.shrinks)
    plan = shrink(setup, std::move(plan), result.broken);
  run_once(setup, plan, &std::cout, how.lines);
  std::cout << "seed " << setup.seed << ", " << setup.hosts << " nodes: " << result.violation << "\nfaults:\n";
  print(plan, std::cout);
}

int run(const options& how) {
  const auto begun = wall_clock::now();
  auto passed = [&] { return std::chrono::duration<double>(wall_clock::now() - begun).count(); };
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  std::uint64_t bad = 0;
  for (auto seed = how.seed; runs == 0 || passed() < how.minutes * 60; ++seed, ++runs) {
    auto setup = setup_for(how, seed);
    auto plan = plan_faults(seed, setup.hosts, setup.time, how.kinds, 3s);
    auto result = run_once(setup, plan, how.is_verbose ? &std::cout : nullptr, how.lines);
    steps += result.steps;
    for (auto& [name, count] : result.counts)
      counts[name] += count;
    if (how.is_verbose)
      std::cout << "seed " << seed << " steps " << result.steps << " digest " << std::hex << result.digest << std::dec
                << (result.is_good ? "" : " BAD") << std::endl;
    if (result.is_good)
      continue;
    ++bad;
    report(how, setup, plan, result);
    if (!how.goes_on)
      break;
  }
  for (auto& [name, count] : counts)
    std::cout << count << " " << name << "\n";
  std::cout << runs << " runs, " << bad << " bad, " << steps << " steps, "
            << static_cast<double>(steps) / passed() * 60 / 1e6 << " million steps a minute\n";
  return bad == 0 ? 0 : 1;
}

} // namespace

} // namespace troupe::tests::simulation

int main(int count, char** words) {
  using namespace troupe::tests::simulation;
  auto how = read({words + 1, words + count});
  if (!how) {
    std::cerr << usage;
    return 2;
  }
  return run(*how);
}
