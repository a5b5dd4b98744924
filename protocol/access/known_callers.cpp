#include "protocol/access/known_callers.hpp"

namespace troupe::protocol {

known_callers::known known_callers::find(const credential_digest& of_token, time_point now) {
  auto found = young_.find(of_token);
  if (found == young_.end()) {
    auto old = old_.extract(of_token);
    if (old.empty() || now >= old.mapped().until)
      return {};
    keep(of_token, old.mapped());
    return std::move(old.mapped());
  }
  if (now < found->second.until)
    return found->second;
  young_.erase(found);
  return {};
}

void known_callers::add(const credential_digest& of_token, caller who, time_point until) {
  old_.erase(of_token);
  keep(of_token, {std::move(who), until});
}

void known_callers::keep(const credential_digest& of_token, known what) {
  if (young_.size() >= most_ && !young_.contains(of_token))
    old_ = std::exchange(young_, {});
  young_.insert_or_assign(of_token, std::move(what));
}

} // namespace troupe::protocol
