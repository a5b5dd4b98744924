// The baseline for the gateway, built from the same parts without it. Single-threaded.
//
//   troupe_bench_floor http            answers canned JSON; GET opens a stream, the tool `notify` sends to all streams
//   troupe_bench_floor pipe -- child   writes each request to the pipe of one child, answers with its line
//   troupe_bench_floor pipes -- child  the same, with a child for each connection
//   troupe_bench_floor raw -- child    only a child's pipes, without HTTP: prints lines per second
//
// The servers among them print their port.
#include "tests/bench/floor_http.hpp"
#include "tests/bench/floor_raw.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <exception>
#include <iostream>

namespace troupe::bench {

namespace {

struct floor_options {
  std::string kind;
  std::uint16_t port = 0;
  raw_options raw;
  std::vector<std::string> command;
};

answers answers_of(const std::string& kind) {
  if (kind == "http")
    return answers::canned;
  return kind == "pipe" ? answers::shared_child : answers::own_child;
}

void serve(const floor_options& options) {
  boost::asio::io_context context{1};
  floor_server server{context, options.port, answers_of(options.kind), options.command};
  std::cout << server.port() << std::endl;
  context.run();
}

void run(const floor_options& options) {
  if (options.kind == "raw")
    std::cout << raw_figures(options.command, options.raw) << std::endl;
  else
    serve(options);
}

int main(int argc, char** argv) {
  floor_options options;
  CLI::App app{"What the gateway is measured against"};
  app.add_option("kind", options.kind)->required()->check(CLI::IsMember({"http", "pipe", "pipes", "raw"}));
  app.add_option("--port", options.port);
  app.add_option("--seconds", options.raw.seconds);
  app.add_option("--depth", options.raw.depth, "Lines under way at the same time")
      ->check(CLI::Range(1, 400)); // more may not fit into the pipes
  app.add_option("command", options.command);
  CLI11_PARSE(app, argc, argv);
  if (options.kind != "http" && options.command.empty()) {
    std::cerr << "a command is needed behind --\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "troupe_bench_floor: " << error.what() << '\n';
    return 1;
  }
}

} // namespace

} // namespace troupe::bench

int main(int argc, char** argv) { return troupe::bench::main(argc, argv); }
