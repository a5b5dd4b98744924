#include "protocol/supervised/server_users.hpp"

#include <memory>
#include <utility>

namespace troupe::protocol {

void server_users::request_ended(user_id user) {
  if (auto of = all_.find(user); of != all_.end() && of->second.requests > 0)
    --of->second.requests;
}

void server_users::set_envelope(user_id user, const message& initialize, std::size_t bytes) {
  all_.at(user).envelope = std::make_shared<const user_envelope>(initialize, bytes);
}

/// Requests in flight keep the envelope that they were sent with.
void server_users::set_level(user_id user, std::optional<severity> level) {
  auto of = all_.find(user);
  if (of == all_.end() || !of->second.envelope)
    return;
  auto changed = std::make_shared<user_envelope>(*of->second.envelope);
  changed->set_level(level);
  of->second.envelope = std::move(changed);
}

envelope_of_user server_users::envelope_of(user_id user) const {
  auto of = all_.find(user);
  return names_each_ && of != all_.end() ? of->second.envelope : nullptr;
}

void server_users::answer(user_id user, message&& what, server_effects& out) {
  request_ended(user);
  out.emplace_back(send_to_user{user, std::move(what)});
}

void server_users::fail(user_id user, std::string_view id, std::string_view why, server_effects& out,
                        call_outcome how) {
  auto error = gateway_message(error_text(id, error_code::internal_error, why));
  error.outcome = how;
  answer(user, std::move(error), out);
}

void server_users::tell_greeted(const message& what, server_effects& out) const {
  out.reserve(out.size() + all_.size());
  for (auto& [user, of] : all_)
    if (of.greeted)
      out.push_back(send_to_user{user, what});
}

} // namespace troupe::protocol
