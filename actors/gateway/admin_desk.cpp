#include "actors/gateway/admin_desk.hpp"

#include "protocol/text/host_port.hpp"

#include <chrono>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

/// Operators are few, and ask for little: a browser has six connections, and Prometheus one.
constexpr std::size_t most_admin_connections = 64;
constexpr std::size_t longest_admin_body = 64 * 1024;
/// How long the last answers may take to reach their operators.
constexpr auto last_answers = std::chrono::milliseconds{100};

net::connection_limits admin_limits() {
  net::connection_limits result;
  result.connections = most_admin_connections;
  result.body = longest_admin_body;
  return result;
}

std::string admin_url(const std::string& host, std::uint16_t port) {
  return protocol::is_unix_socket(host) ? host : "http://" + protocol::host_port_text(host, port);
}

} // namespace

/// Answers exchanges, on the thread of the desk.
class admin_desk::clerk {
public:
  explicit clerk(const admin_options& options, const event_log& log) : rules_{options.host}, token_{options, log} {}

  void begin(admin_source from) { from_ = std::move(from); }

  void take(net::exchange& one) {
    auto entered = protocol::enter_admin(one.request(), rules_, token_.now());
    if (auto* answer = std::get_if<protocol::http_response>(&entered))
      one.respond(std::move(*answer));
    else
      one.respond(page(std::get<protocol::admin_page>(entered)));
  }

private:
  protocol::http_response page(protocol::admin_page which) const {
    switch (which) {
    case protocol::admin_page::metrics:
      return protocol::admin_response(200, protocol::metrics_type, from_.metrics());
    case protocol::admin_page::health:
      break;
    }
    return protocol::admin_response(200, "text/plain", "ok\n");
  }

  protocol::admin_rules rules_;
  admin_token token_;
  admin_source from_;
};

admin_desk::admin_desk(const admin_options& options, const net::listener::thread_list& threads, const event_log& log)
    : host_{options.host}, log_{log}, clerk_{std::make_shared<clerk>(options, log)},
      listener_{net::listener::thread_range{threads}.first(1), options.host, options.port} {}

admin_desk::~admin_desk() {
  listener_.drain();
  listener_.wait_until_closed(last_answers);
}

void admin_desk::open(admin_source from) {
  clerk_->begin(std::move(from));
  listener_.accept(admin_limits(), [clerk = clerk_](std::size_t) -> net::exchange_taker {
    return [clerk](std::unique_ptr<net::exchange> one) { clerk->take(*one); };
  });
  log_(log_level::info, "listening for operators", {{"url", admin_url(host_, port())}});
}

std::string build_metric() {
  return "# HELP troupe_build_info The version that runs.\n"
         "# TYPE troupe_build_info gauge\n"
         "troupe_build_info{version=\"" TROUPE_VERSION "\"} 1\n";
}

} // namespace troupe::actors
