#include "deploy/operator/drain_progress.hpp"

#include "deploy/operator/json_fields.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string_view>

namespace troupe::deploy {

namespace json = boost::json;

namespace {

/// Answers in a row that fail to come from one that is gone: one alone may be busy.
constexpr std::size_t most_misses = 3;

const json::value& leaving_of(const json::value& node) {
  static const json::value nothing;
  const auto* const members = node.if_object();
  const auto* const found = members ? members->if_contains("drain") : nullptr;
  return found ? *found : nothing;
}

constexpr std::string_view word_of(drain_progress::state one) {
  using enum drain_progress::state;
  return one == moving ? "moving" : one == ending ? "ending" : one == ended ? "ended" : "stays";
}

} // namespace

drain_progress::state drain_progress::heard(const std::optional<json::value>& node) {
  misses_ = node ? 0 : misses_ + 1;
  if (!node)
    return is_ = misses_ < most_misses ? is_ : state::ended;
  if (!first_)
    first_ = *node;
  if (whole_at(*node, "pid") != whole_at(*first_, "pid") || time_at(*node, "uptime_ms") < time_at(last_, "uptime_ms"))
    return is_ = state::ended;
  last_ = *node;
  if (!flag_at(*node, "draining"))
    return is_ = state::stays;
  return is_ = has(*node, "drain") ? state::moving : state::ending;
}

std::string drain_progress::text() const {
  if (is_ == state::ended)
    return "it has ended";
  if (is_ == state::stays)
    return "it stays";
  if (is_ == state::ending)
    return "it ends: sessions " + whole_text_at(last_, "sessions") + ", leases " + whole_text_at(last_, "leases");
  const auto& at = leaving_of(last_);
  return "to move " + whole_text_at(at, "to_move") + ", moved " + whole_text_at(at, "moved") + ", stay " +
         whole_text_at(at, "stay") + ", calls " + whole_text_at(at, "calls");
}

std::string drain_progress::json() const {
  json::object result{{"state", word_of(is_)}};
  if (is_ == state::moving)
    result["drain"] = leaving_of(last_);
  if (is_ == state::ending)
    for (const auto* name : {"sessions", "leases"})
      result[name] = whole_at(last_, name);
  return json::serialize(result);
}

} // namespace troupe::deploy
