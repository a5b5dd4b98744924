// Puts load on a gateway or on a floor, with the same bytes for both. Single-threaded. Prints one line of JSON; exits
// with 1 when an answer was wrong.
#include "tests/bench/load_modes.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <map>

namespace troupe::bench {

namespace {

using mode = figures (*)(const load_options&);

const std::map<std::string, mode> modes{
    {"calls", load_calls},     {"stateless", load_stateless}, {"idle", load_idle},  {"connect", load_connect},
    {"streams", load_streams}, {"legacy", load_legacy},       {"churn", load_churn}};

void add_options(CLI::App& app, load_options& options) {
  app.add_option("--port", options.to.port)->required();
  app.add_option("--path", options.to.path)->capture_default_str();
  app.add_option("--bearer", options.to.bearer, "Key or token that every request bears");
  app.add_option("--call-port", options.call_port, "Where calls go when not to where their session began");
  app.add_option("--sessions", options.sessions)->capture_default_str();
  app.add_option("--seconds", options.seconds)->capture_default_str();
  app.add_option("--warmup", options.warmup, "Seconds that are not counted")->capture_default_str();
  app.add_option("--tool", options.shape.tool)->capture_default_str();
  app.add_option("--pace", options.pace, "Seconds between one connect and the next");
  app.add_option("--rounds", options.rounds, "Notifications that streams wait for")->capture_default_str();
  app.add_option("--settle", options.settle, "Seconds until the memory that is left is looked at");
  app.add_option("--size", options.shape.size, "Bytes that a result is made longer by");
  app.add_option("--send", options.shape.send, "Bytes that an argument is made longer by");
  app.add_flag("--sse", options.shape.progress, "Calls whose answers are streams");
  app.add_flag("--canned", options.shape.canned, "Answers are canned: only their id is checked");
  app.add_flag("--apart", options.apart, "Clients without sessions have a lease each, by Troupe-Affinity");
  app.add_flag("--stateless", options.shape.stateless, "Idle ones are leases, by Troupe-Affinity, and not sessions");
  app.add_option("--observe", options.observe, "Process whose time and memory are measured; may be repeated")
      ->allow_extra_args(false);
}

int main(int argc, char** argv) {
  load_options options;
  std::string chosen;
  CLI::App app{"Puts a load on a gateway or a floor"};
  app.add_option("mode", chosen)->required()->check(CLI::IsMember(modes));
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.shape.progress)
    options.shape.tool = "progress";
  try {
    const auto result = modes.at(chosen)(options);
    std::cout << result.line() << std::endl;
    return result.has_errors() ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << "troupe_bench_load: " << error.what() << '\n';
    return 1;
  }
}

} // namespace

} // namespace troupe::bench

int main(int argc, char** argv) { return troupe::bench::main(argc, argv); }
