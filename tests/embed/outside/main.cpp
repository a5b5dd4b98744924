// A project that uses the installed library: two gateways in one process, one of them with a server of each kind.

#include <troupe/gateway.hpp>
#include <troupe/server.hpp>

int main() {
  auto server = std::make_shared<troupe::server>(troupe::server_info{.name = "outside"});
  server->tool({.name = "hello"}, [](const troupe::json::object&) { return troupe::text("Hello."); });
  troupe::gateway one{{.port = 0, .servers = {{"greeter", troupe::hosted(server)}}}};
  troupe::gateway other{{.port = 0,
                         .servers = {{"greeter", troupe::hosted(server)},
                                     {"files", troupe::command("npx", "-y", "some-server", "/tmp")},
                                     {"search", troupe::remote("https://search.example/mcp")}}}};
  return one.port() != 0 && one.port() != other.port() ? 0 : 1;
}
