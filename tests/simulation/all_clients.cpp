#include "tests/simulation/all_clients.hpp"

namespace troupe::tests::simulation {

void all_clients::begin(std::size_t number, const client_habits& habits) {
  for (std::size_t i = 0; i < number; ++i) {
    clients_.push_back(std::make_shared<client>(time_, log_, model_, front_, "client" + std::to_string(i + 1), habits));
    clients_.back()->other_session = [this, i] { return clients_[(i + 1) % clients_.size()]->session(); };
  }
  for (auto& one : clients_)
    one->begin();
}

void all_clients::begin_hostile() {
  hostile_ = std::make_shared<hostile_client>(time_, log_, model_, front_, [this] { return clients_[0]->session(); });
  hostile_->begin();
}

void all_clients::rest() {
  for (auto& one : clients_)
    one->rest();
  if (hostile_)
    hostile_->rest();
}

void all_clients::leave() {
  for (auto& one : clients_)
    one->leave();
  if (hostile_)
    hostile_->leave();
}

void all_clients::probe(const std::vector<std::string>& places) {
  for (auto& one : clients_)
    for (std::size_t host = 0; host < places.size(); ++host)
      probes_.send(*one, host, places[host]);
}

void all_clients::expect_probed() const {
  if (probes_.open() != 0)
    log_.broken(rule::settles, std::to_string(probes_.open()) + " calls to sessions that live have no answer");
}

} // namespace troupe::tests::simulation
