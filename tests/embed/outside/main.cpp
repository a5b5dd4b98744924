// A project that knows Troupe as it is installed: two gateways in one process, with one server.

#include <troupe/gateway.hpp>
#include <troupe/server.hpp>

int main() {
  auto server = std::make_shared<troupe::server>(troupe::server_info{.name = "outside"});
  server->tool({.name = "hello"}, [](const troupe::json::object&) { return troupe::text("Hello."); });
  troupe::gateway_options options;
  options.port = 0;
  options.servers.push_back({.hosted = server});
  troupe::gateway one{options}, other{options};
  return one.port() != 0 && one.port() != other.port() ? 0 : 1;
}
