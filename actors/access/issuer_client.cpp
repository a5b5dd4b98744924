#include "actors/access/issuer_client.hpp"

#include "actors/access_messages.hpp"
#include "actors/runtime/unit.hpp"
#include "net/client/http_fetch.hpp"
#include "net/client_trust.hpp"
#include "protocol/access/issuer.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace troupe::actors {

namespace {

/// Short timeouts: a healthy issuer answers at once.
net::http_client_options issuer_client_options(const std::string& ca_file) {
  constexpr std::chrono::seconds patience{5};
  net::http_client_options result;
  result.trust = std::make_shared<net::client_trust>(ca_file);
  result.connect = result.head = result.silence = patience;
  return result;
}

/// URLs at the place that the operator named may be anywhere; all others must be public.
net::reach reach_of(const std::string& url, const std::string& named) {
  return protocol::is_at_named_place(url, named) ? net::reach::any : net::reach::public_only;
}

} // namespace

issuer_client::issuer_client(net::io_thread& thread, std::string named, const std::string& ca_file)
    : named_{std::move(named)}, client_{thread, issuer_client_options(ca_file)} {}

void issuer_client::fetch(std::string url, caf::actor_addr by) {
  ask({.method = "GET", .url = std::move(url), .follows = true}, 0, std::move(by));
}

void issuer_client::ask(net::http_call what, std::uint64_t question, caf::actor_addr by) {
  what.may = reach_of(what.url, named_);
  what.fields.emplace_back("Accept", "application/json");
  auto then = [by = std::move(by), question](net::fetched answer) {
    send_if_alive(by, document_fetched{question, answer.status, std::move(answer.body), std::move(answer.why_not)});
  };
  net::fetch(client_, std::move(what), net::fetch_limits{}, std::move(then));
}

} // namespace troupe::actors
