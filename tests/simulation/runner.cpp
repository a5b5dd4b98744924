// Runs simulations of one seed or of many. If a run breaks a rule, prints the faults that are required for that.

#include "tests/simulation/known_runs.hpp"
#include "tests/simulation/names.hpp"

#include <charconv>
#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

namespace {

/// Number of further seeds that are run with the faults that broke a rule.
constexpr std::uint64_t seeds_tried = 20;

constexpr const char* usage = R"(usage: simulate [OPTIONS]

Runs a cluster of the real machines on a simulated network, clock and store. Checks the rules of .github/CONTRIBUTING.md
at each step. The same seed and options give the same run. If a run breaks a rule, prints the end of its history, the
required faults as an entry for tests/simulation/known_runs.cpp, and the commands that repeat it.
Exit status: 0 if no rule was broken, 1 if one was, 2 for an invalid option.

Number of runs:
  --seed N|fresh     first seed (default 1); fresh takes it from the clock
  --runs N           number of runs, each with the next seed (default 1)
  --minutes M        run for M minutes of processor time instead
  --go-on            continue after a broken rule
Setup of the runs:
  --hosts N          number of nodes (default: 1 to 5, from the seed); one node hands over to newer processes
  --heartbeat MS     heartbeat (default: 1000 to 5000, from the seed)
  --stateless N      number of clients of revision 2026-07-28 (default: none or one a node, from the seed)
  --stalls N         clients stop to read a connection in one action of N, 0 for never (default: 10 in one run of four,
                     from the seed)
  --no-store         run without a store of sessions (default: one run in eight, from the seed)
  --join-one         all nodes know only the address of the first one, and clients begin at once
  --faults LIST      kinds of faults: names with commas, all or none
  --plan FAULTS      exactly these faults, each as TIME:NAME:HOST:OTHER:LASTS; times in milliseconds, hosts from 0
  --tolerate LIST    rules that may be broken, and are only counted: names with commas, all or none
  --plant NAME       plant a fault in the simulated actors
Output:
  --lines N          lines of history (default 60, at most 400)
  --verbose          print each run, with its history
  --no-shrink        print the whole plan of a run that breaks a rule, and do not try other seeds

)";

struct options {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  /// Time limit; if it is zero, `runs` is the limit.
  double minutes = 0;
  std::size_t lines = 60;
  std::size_t hosts = 0;
  std::optional<std::size_t> stateless;
  std::optional<std::size_t> stalls;
  std::chrono::milliseconds heartbeat{0};
  bool is_verbose = false;
  bool has_store = true;
  bool joins_one = false;
  bool goes_on = false;
  bool shrinks = true;
  std::set<fault_kind> kinds;
  std::optional<fault_plan> plan;
  std::set<rule> tolerated;
  planted fault = planted::nothing;
  /// The options that decide the run of a seed, as text.
  std::string deciding;
};

// -- reading options -------------------------------------------------------------------------

template <class Number>
bool read_into(Number& to, std::string_view text) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc{} && end == text.data() + text.size();
}

std::uint64_t fresh_seed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

template <class Value>
std::set<Value> every() {
  std::set<Value> result;
  for (std::size_t i = 0; i < names<Value>().size(); ++i)
    result.insert(static_cast<Value>(i));
  return result;
}

bool read_into(planted& to, std::string_view name) {
  auto one = named<planted>(name);
  to = one.value_or(planted::nothing);
  return one.has_value();
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    result.push_back(text.substr(0, text.find(between)));
    text.remove_prefix(std::min(text.size(), result.back().size() + 1));
  }
  return result;
}

/// Names with commas between them.
template <class Value>
bool read_into(std::set<Value>& to, std::string_view list) {
  to = list == "all" ? every<Value>() : std::set<Value>{};
  if (list == "all" || list == "none")
    return true;
  for (auto word : parts_of(list, ',')) {
    auto one = named<Value>(word);
    if (!one)
      return false;
    to.insert(*one);
  }
  return true;
}

bool read_into(std::optional<fault_plan>& to, std::string_view text) {
  to.emplace();
  for (auto one : parts_of(text, ',')) {
    auto parts = parts_of(one, ':');
    std::uint64_t at = 0;
    std::uint64_t lasts = 0;
    fault read{};
    if (parts.size() != 5 || !read_into(at, parts[0]) || !named<fault_kind>(parts[1]) ||
        !read_into(read.one, parts[2]) || !read_into(read.other, parts[3]) || !read_into(lasts, parts[4]))
      return false;
    read.at = std::chrono::milliseconds{at};
    read.is = *named<fault_kind>(parts[1]);
    read.lasts = std::chrono::milliseconds{lasts};
    to->push_back(read);
  }
  return true;
}

bool read_flag(options& to, std::string_view word) {
  if (word == "--no-store")
    to.has_store = false;
  else if (word == "--join-one")
    to.joins_one = true;
  else if (word == "--verbose")
    to.is_verbose = true;
  else if (word == "--go-on")
    to.goes_on = true;
  else if (word == "--no-shrink")
    to.shrinks = false;
  else
    return false;
  return true;
}

/// Reads an option for the number of runs, or for the output: it does not change a run.
bool read_extent(options& to, std::string_view word, std::string_view value) {
  if (word == "--seed" && value == "fresh") {
    to.seed = fresh_seed();
    return true;
  }
  return (word == "--seed" && read_into(to.seed, value)) || (word == "--runs" && read_into(to.runs, value)) ||
         (word == "--minutes" && read_into(to.minutes, value)) || (word == "--lines" && read_into(to.lines, value));
}

bool read_value(options& to, std::string_view word, std::string_view value) {
  if (std::size_t some = 0; (word == "--stateless" || word == "--stalls") && read_into(some, value)) {
    (word == "--stalls" ? to.stalls : to.stateless) = some;
    return true;
  }
  if (std::chrono::milliseconds::rep time = 0; word == "--heartbeat" && read_into(time, value) && time > 0) {
    to.heartbeat = std::chrono::milliseconds{time};
    return true;
  }
  return (word == "--hosts" && read_into(to.hosts, value) && to.hosts > 0) ||
         (word == "--faults" && read_into(to.kinds, value)) || (word == "--plan" && read_into(to.plan, value)) ||
         (word == "--tolerate" && read_into(to.tolerated, value)) || (word == "--plant" && read_into(to.fault, value));
}

std::optional<options> read(const std::vector<std::string>& words) {
  options result;
  result.kinds = every<fault_kind>();
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto& word = words[i];
    if (read_flag(result, word)) {
      if (word == "--no-store" || word == "--join-one")
        result.deciding += ' ' + word;
      continue;
    }
    if (++i == words.size())
      return std::nullopt;
    if (read_extent(result, word, words[i]))
      continue;
    if (!read_value(result, word, words[i]))
      return std::nullopt;
    result.deciding += ' ' + word + ' ' + words[i];
  }
  return result;
}

// -- runs ------------------------------------------------------------------------------------

run_setup setup_for(const options& how, std::uint64_t seed) {
  constexpr std::chrono::milliseconds heartbeats[] = {2s, 1s, 2s, 5s};
  run_setup result;
  result.seed = seed;
  result.hosts = how.hosts != 0 ? how.hosts : seed % 8 == 5 ? 1 : 2 + seed % 4;
  result.has_store = how.has_store && seed / 16 % 8 != 7;
  result.joins_one = how.joins_one;
  result.remembers = seed / 128 % 2 == 1;
  result.clients = result.hosts == 1 ? 6 : 3 * result.hosts;
  result.stateless = how.stateless.value_or(seed % 3 == 0 ? result.hosts : 0);
  result.habits.stalls = how.stalls.value_or(seed / 32 % 4 == 3 ? 10 : 0);
  result.heartbeat = how.heartbeat != 0ms ? how.heartbeat : heartbeats[seed / 4 % 4];
  result.tolerated = how.tolerated;
  result.wrong = how.fault;
  return result;
}

/// Text of a plan, for `--plan`.
std::string text_of(const fault_plan& plan) {
  std::string result;
  for (auto& one : plan)
    result += (result.empty() ? "" : ",") + std::to_string(one.at / 1ms) + ':' + std::string{name_of(one.is)} + ':' +
              std::to_string(one.one) + ':' + std::to_string(one.other) + ':' + std::to_string(one.lasts / 1ms);
  return result;
}

void report(const options& how, const run_setup& setup, fault_plan plan, const run_result& result) {
  std::cout << "seed " << setup.seed << ": " << result.violation << std::endl;
  if (how.shrinks)
    plan = shrink(setup, std::move(plan), result.broken);
  auto shrunk = run_once(setup, plan, &std::cout, how.lines);
  std::cout << "seed " << setup.seed << ": " << shrunk.violation << "\nKnown run:\n";
  print_known(setup, plan, result.broken, std::cout);
  std::uint64_t others = 0;
  for (auto other = setup; how.shrinks && other.seed < setup.seed + seeds_tried;) {
    ++other.seed;
    auto its = run_once(other, plan);
    others += !its.is_good && its.broken == result.broken ? 1 : 0;
  }
  auto command = "simulate --seed " + std::to_string(setup.seed) + how.deciding;
  std::cout << "The same faults break the rule with " << others << " of the next " << seeds_tried << " seeds.\n"
            << "Shrunk: " << command << " --plan " << text_of(plan) << "\nRepeat: " << command << std::endl;
}

/// The sum of some runs.
struct totals {
  std::map<std::string, std::uint64_t> counts;
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  std::uint64_t bad = 0;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void add(totals& to, const run_result& one) {
  to.steps += one.steps;
  ++to.runs;
  to.bad += one.is_good ? 0 : 1;
  for (auto& [name, count] : one.counts)
    to.counts[name] += count;
}

void run_seed(const options& how, std::uint64_t seed, totals& to) {
  auto setup = setup_for(how, seed);
  auto plan = how.plan ? *how.plan : plan_of(setup, how.kinds);
  auto result = run_once(setup, plan, how.is_verbose ? &std::cout : nullptr, how.lines);
  add(to, result);
  if (how.is_verbose)
    std::cout << "seed " << seed << " steps " << result.steps << " digest " << std::hex << result.digest << std::dec
              << (result.is_good ? "" : " BAD") << std::endl;
  if (!result.is_good)
    report(how, setup, plan, result);
}

void print(const totals& all, double seconds) {
  for (auto& [name, count] : all.counts)
    std::cout << count << " " << name << "\n";
  std::cout << all.runs << " runs, " << all.bad << " bad, " << all.steps << " steps, " << seconds
            << " s of processor time";
  if (all.bad == 0)
    std::cout << ", " << static_cast<double>(all.steps) / seconds * 60 / 1e6 << " million steps a minute";
  std::cout << std::endl;
}

/// An exception ends the program, as it would end a node: its seed is named first.
void run_or_name(const options& how, std::uint64_t seed, totals& to) {
  try {
    run_seed(how, seed, to);
  } catch (const std::exception& thrown) {
    std::cout << "seed " << seed << ": " << thrown.what() << std::endl;
    throw;
  }
}

int run(const options& how) {
  std::cout << "Seeds from " << how.seed << std::endl;
  totals all;
  auto goes_on = [&] {
    auto has_time = how.minutes > 0 ? processor_seconds() < how.minutes * 60 : all.runs < how.runs;
    return has_time && (all.bad == 0 || how.goes_on);
  };
  for (auto seed = how.seed; goes_on(); ++seed)
    run_or_name(how, seed, all);
  print(all, processor_seconds());
  return all.bad == 0 ? 0 : 1;
}

} // namespace

} // namespace troupe::tests::simulation

int main(int count, char** words) {
  using namespace troupe::tests::simulation;
  const std::vector<std::string> all{words + 1, words + count};
  auto helps = all == std::vector<std::string>{"--help"};
  auto how = read(all);
  if (helps || !how) {
    (helps ? std::cout : std::cerr) << usage;
    return helps ? 0 : 2;
  }
  return run(*how);
}
