// A service that contains an MCP server: two tools, an actor system, and a graceful shutdown. usage: host [port]

#include <troupe/caf.hpp>
#include <troupe/server.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>

namespace {

namespace json = troupe::json;

std::shared_ptr<troupe::server> calculator() {
  auto server = std::make_shared<troupe::server>(troupe::server_info{.name = "calculator", .version = "1.0.0"});

  server->tool({.name = "add",
                .description = "Adds two numbers.",
                .input_schema = json::parse(R"({"type": "object",
                                                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                                                "required": ["a", "b"]})")
                                    .as_object()},
               [](const json::object& arguments) {
                 auto sum = arguments.at("a").to_number<double>() + arguments.at("b").to_number<double>();
                 return troupe::structured({{"sum", sum}});
               });

  // Answers later from a thread of the host, and reports progress.
  server->tool({.name = "count", .description = "Counts slowly to ten."}, [](const troupe::call& call) {
    std::thread{[call] {
      for (int i = 1; i <= 10 && !call.cancelled(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
        call.progress(i, 10);
      }
      call.answer(troupe::text("Counted to ten."));
    }}.detach();
  });
  return server;
}

/// Blocks the signals before threads exist, so that `sigwait` receives them.
sigset_t stop_signals() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGTERM);
  sigaddset(&result, SIGINT);
  pthread_sigmask(SIG_BLOCK, &result, nullptr);
  return result;
}

void serve(std::uint16_t port) {
  auto stops = stop_signals();
  caf::actor_system_config config;
  caf::actor_system system{config}; // the host's own actor system

  troupe::gateway_options options;
  options.port = port;
  options.servers.push_back({"calculator", troupe::hosted(calculator())});
  options.log = [](const troupe::log_record& event) { std::clog << event.text + "\n"; };
  troupe::gateway gateway{system, std::move(options)};
  std::cout << "http://127.0.0.1:" << gateway.port() << "/mcp" << std::endl;

  int signal = 0;
  sigwait(&stops, &signal);
  gateway.drain(); // lets calls in flight finish
}

} // namespace

int main(int argc, char** argv) {
  try {
    serve(argc > 1 ? static_cast<std::uint16_t>(std::atoi(argv[1])) : 8080);
    return 0;
  } catch (const std::exception& why) {
    std::cerr << why.what() << '\n';
    return 1;
  }
}
