// Prints the costs of clusters of several sizes (see scale_run.hpp). Prints the whole table again after each size.

#include "tests/simulation/scale_run.hpp"

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

namespace {

constexpr const char* usage =
    R"(usage: simulate_scale [OPTIONS]

Runs the rules of clusters on a simulated network and store. Prints the costs as a table, a column for each size.

  --nodes N,N,...      sizes of clusters (default 3,10,100)
  --sessions N         sessions of the whole cluster (default 1000000)
  --seeds N            nodes that are named to each node when it starts (default 3)
  --heartbeat SECONDS  heartbeat (default 5)
  --watch SECONDS      how long to watch the recovery of sessions (default 60)

)";

struct options {
  std::vector<std::size_t> nodes{3, 10, 100};
  scale_setup setup = {};
};

std::vector<std::size_t> numbers_of(std::string list) {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < list.size(); at = std::min(list.size(), list.find(',', at)) + 1)
    result.push_back(std::strtoul(list.c_str() + at, nullptr, 10));
  return result;
}

std::optional<options> read(const std::vector<std::string>& words) {
  options result;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    auto& value = words[i + 1];
    auto number = std::strtod(value.c_str(), nullptr);
    if (words[i] == "--nodes")
      result.nodes = numbers_of(value);
    else if (words[i] == "--sessions")
      result.setup.load.sessions = static_cast<std::size_t>(number);
    else if (words[i] == "--seeds")
      result.setup.seeds = static_cast<std::size_t>(number);
    else if (words[i] == "--heartbeat")
      result.setup.heartbeat = std::chrono::milliseconds{static_cast<std::int64_t>(number * 1000)};
    else if (words[i] == "--watch")
      result.setup.watch = std::chrono::milliseconds{static_cast<std::int64_t>(number * 1000)};
    else
      return std::nullopt;
  }
  return words.size() % 2 == 0 ? std::optional{result} : std::nullopt;
}

double seconds(span_of_time time) { return std::chrono::duration<double>(time).count(); }

using figure = double (*)(const scale_figures&);

struct row {
  const char* name;
  figure of;
};

const std::vector<row> rows{
    {"links of a node", [](auto& of) { return static_cast<double>(of.links); }},
    {"quiet: messages/s sent by a node", [](auto& of) { return of.quiet_messages; }},
    {"quiet: kB/s sent by a node", [](auto& of) { return of.quiet_bytes / 1e3; }},
    {"quiet: % of a processor", [](auto& of) { return of.quiet_busy * 100; }},
    {"start of all: seconds", [](auto& of) { return of.start.seconds; }},
    {"start of all: messages of a node", [](auto& of) { return of.start.messages; }},
    {"start of all: kB of a node", [](auto& of) { return of.start.bytes / 1e3; }},
    {"start of all: processor ms of a node", [](auto& of) { return of.start.busy_ms; }},
    {"join: seconds", [](auto& of) { return of.join.seconds; }},
    {"join: messages of each node", [](auto& of) { return of.join.messages; }},
    {"join: kB of each node", [](auto& of) { return of.join.bytes / 1e3; }},
    {"join: kB received by the new node", [](auto& of) { return of.join.own_bytes / 1e3; }},
    {"join: processor ms of the new node", [](auto& of) { return of.join.own_busy_ms; }},
    {"restart: seconds", [](auto& of) { return of.restart.seconds; }},
    {"restart: messages of each node", [](auto& of) { return of.restart.messages; }},
    {"restart: kB of each node", [](auto& of) { return of.restart.bytes / 1e3; }},
    {"kill: seconds until all notice", [](auto& of) { return of.kill.seconds; }},
    {"kill: messages of each node", [](auto& of) { return of.kill.messages; }},
    {"kill: kB of each node", [](auto& of) { return of.kill.bytes / 1e3; }},
    {"power: seconds until all notice", [](auto& of) { return of.power_loss.seconds; }},
    {"kill: sessions lost", [](auto& of) { return static_cast<double>(of.after_kill.sessions); }},
    {"kill: seconds until the first goes on", [](auto& of) { return seconds(of.after_kill.first); }},
    {"kill: sessions that went on", [](auto& of) { return static_cast<double>(of.after_kill.restored); }},
    {"kill: seconds until the last of these", [](auto& of) { return seconds(of.after_kill.last); }},
    {"power: seconds until the first goes on", [](auto& of) { return seconds(of.after_power_loss.first); }},
    {"power: sessions that went on", [](auto& of) { return static_cast<double>(of.after_power_loss.restored); }},
    {"power: seconds until the last of these", [](auto& of) { return seconds(of.after_power_loss.last); }},
    {"store: commands/s", [](auto& of) { return of.store_commands; }},
    {"store: kB/s", [](auto& of) { return of.store_bytes / 1e3; }},
    {"store: % of a processor", [](auto& of) { return of.store_busy * 100; }}};

void print(const std::vector<std::size_t>& sizes, const std::vector<scale_figures>& all) {
  std::cout << "| nodes |";
  for (std::size_t i = 0; i < all.size(); ++i)
    std::cout << ' ' << sizes[i] << " |";
  for (auto& [name, of] : rows) {
    std::cout << "\n| " << name << " |";
    for (auto& one : all) {
      auto value = of(one);
      std::cout << ' ' << std::fixed << std::setprecision(value < 10 ? 2 : value < 100 ? 1 : 0) << value << " |";
    }
  }
  std::cout << std::endl;
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
  std::vector<scale_figures> all;
  for (auto nodes : how->nodes) {
    how->setup.nodes = nodes;
    all.push_back(measure(how->setup, &std::cerr));
    print(how->nodes, all);
  }
  return 0;
}
