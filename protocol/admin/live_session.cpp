#include "protocol/admin/live_session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace troupe::protocol {

namespace {

boost::json::object call_object(const live_call& one) {
  return {{"number", one.number},
          {"method", one.method},
          {"name", one.name},
          {"server", one.server},
          {"age_ms", one.age.count()}};
}

boost::json::object session_object(const live_session& one) {
  boost::json::array calls;
  for (auto& call : one.calls)
    calls.push_back(call_object(call));
  boost::json::object result{
      {"number", one.number},
      {"id", one.id},
      {"transport", one.transport},
      {"server", one.server},
      {"caller", one.caller},
      {"age_ms", one.age.count()},
      {"calls", std::move(calls)},
      {"streams", {{"primary", one.primary}, {"shadow", one.shadow}, {"call", one.of_calls}, {"listen", one.listens}}},
      {"questions", one.questions}};
  if (one.idle)
    result["idle_ms"] = one.idle->count();
  return result;
}

} // namespace

std::string live_session_text(const live_session& one) { return boost::json::serialize(session_object(one)); }

std::string live_sessions_text(std::vector<live_session> page, std::size_t total, std::optional<std::uint64_t> last) {
  std::ranges::sort(page, {}, &live_session::number);
  boost::json::array sessions;
  for (auto& one : page)
    sessions.push_back(session_object(one));
  boost::json::object result{{"sessions", std::move(sessions)}, {"total", total}};
  if (last)
    result["next"] = *last;
  return boost::json::serialize(result);
}

std::string live_calls_text(const std::vector<live_session>& all, std::size_t limit) {
  std::vector<std::pair<const live_session*, const live_call*>> calls;
  for (auto& session : all)
    for (auto& call : session.calls)
      calls.emplace_back(&session, &call);
  std::ranges::stable_sort(calls, std::greater{}, [](auto& one) { return one.second->age; });
  boost::json::array shown;
  for (auto& [session, call] : std::span{calls}.first(std::min(limit, calls.size()))) {
    auto object = call_object(*call);
    object["session"] = session->number;
    object["session_id"] = session->id;
    object["caller"] = session->caller;
    shown.push_back(std::move(object));
  }
  return boost::json::serialize(boost::json::object{{"calls", std::move(shown)}, {"total", calls.size()}});
}

} // namespace troupe::protocol
