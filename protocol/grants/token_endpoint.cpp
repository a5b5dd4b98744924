#include "protocol/grants/token_endpoint.hpp"

#include "protocol/access/issuer.hpp"

#include <utility>
#include <variant>

namespace troupe::protocol {

std::optional<std::string> token_endpoint::needed(time_point now) {
  if (is_fixed_ || is_awaited() || now < look_at_)
    return std::nullopt;
  places_ = metadata_urls(issuer_);
  return places_.empty() ? std::nullopt : std::optional{places_.front()};
}

std::optional<std::string> token_endpoint::fetched(std::string_view text, time_point now) {
  if (!is_awaited())
    return std::nullopt;
  auto read = read_token_endpoint(text, issuer_);
  if (auto* bad = std::get_if<bad_metadata>(&read))
    return failed(bad->why, now);
  url_ = std::move(std::get<std::string>(read));
  places_.clear();
  look_at_ = now + lifetime;
  return std::nullopt;
}

/// One that was known stays.
std::optional<std::string> token_endpoint::failed(const std::string& why, time_point now) {
  if (!is_awaited())
    return std::nullopt;
  places_.erase(places_.begin());
  if (is_awaited())
    return places_.front();
  why_not_ = why;
  look_at_ = now + pause;
  return std::nullopt;
}

} // namespace troupe::protocol
