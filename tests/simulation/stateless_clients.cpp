#include "tests/simulation/stateless_clients.hpp"

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t nameless = 3;

} // namespace

stateless_clients::stateless_clients(scheduler& time, history& log, model& checks, front& to, std::size_t count,
                                     std::uint64_t seed)
    : log_{log}, model_{checks} {
  for (std::size_t i = 1; i <= count; ++i) {
    auto name = "stateless" + std::to_string(i);
    auto owner = i % nameless == 0 ? std::string{} : name;
    all_.push_back(std::make_shared<stateless_client>(time, log, checks, to, name, owner, seed ^ (0x57a7eU + i)));
  }
}

void stateless_clients::begin() {
  for (auto& one : all_)
    one->begin();
}

void stateless_clients::rest() {
  for (auto& one : all_)
    one->rest();
}

void stateless_clients::expect_answers() const {
  for (auto& one : all_)
    for (auto& token : one->open_calls())
      if (model_.gets_answer(token))
        log_.broken(rule::settles, "the call " + token + " of " + one->name() + " never ends");
}

/// A server may exit, be silent, or answer another way: only then has a probe no result.
void stateless_clients::probe(std::size_t hosts) {
  for (auto& one : all_)
    for (std::size_t host = 0; one->has_name() && host < hosts; ++host)
      one->probe(host, [this, host, who = one->name()](int status, const std::string& lease) {
        log_.note(who, "probes node" + std::to_string(host + 1), std::to_string(status));
        if (status != 0 && status != 200)
          log_.broken(rule::settles,
                      "node" + std::to_string(host + 1) + " answers " + std::to_string(status) + " to " + who);
        if (!lease.empty())
          leases_[who].insert(lease);
      });
}

void stateless_clients::expect_one_lease() const {
  for (auto& [who, leases] : leases_)
    if (leases.size() > 1)
      log_.broken(rule::one_lease, who + " is answered by " + std::to_string(leases.size()) + " leases");
  expect_answers();
}

void stateless_clients::leave() {
  for (auto& one : all_)
    one->leave();
}

} // namespace troupe::tests::simulation
