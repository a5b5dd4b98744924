#include "protocol/admin/operator_views.hpp"

#include "protocol/text/sse.hpp"
#include "protocol/text/words.hpp"

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

/// Longest method and name that are shown, in bytes.
constexpr std::size_t longest_shown = 200;

std::string_view word_of(message_kind kind) {
  switch (kind) {
  case message_kind::request:
    return "request";
  case message_kind::response:
    return "response";
  default:
    return "notification";
  }
}

void add_text(std::string& to, std::string_view member, std::string_view text) {
  if (!text.empty())
    to.append(",\"").append(member).append("\":").append(quoted(one_line(text, longest_shown)));
}

} // namespace

std::string live_node_text(const live_node& one) {
  boost::json::array nodes;
  for (auto& other : one.nodes)
    nodes.push_back(boost::json::object{{"name", other.name}, {"draining", other.draining}});
  const auto& can = one.can;
  boost::json::object result{
      {"node", one.name},
      {"version", one.version},
      {"pid", one.pid},
      {"uptime_ms", one.uptime.count()},
      {"draining", one.draining},
      {"sessions", one.sessions},
      {"leases", one.leases},
      {"max_sessions", one.max_sessions},
      {"log_level", one.log_level},
      {"nodes", std::move(nodes)},
      {"can", {{"reload", can.reload}, {"drain", can.drain}, {"log_level", can.log_level}, {"content", can.content}}}};
  if (auto& at = one.drain)
    result.emplace("drain", boost::json::object{{"rate", at->rate},
                                                {"to_move", at->to_move},
                                                {"moved", at->moved},
                                                {"stay", at->stay},
                                                {"calls", at->calls}});
  return boost::json::serialize(result);
}

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

std::string followed_event(const followed_message& one, bool with_content) {
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(one.at.time_since_epoch());
  std::string data = "{\"at_ms\":" + std::to_string(at.count());
  add_text(data, "from", one.from);
  add_text(data, "kind", word_of(one.what.kind));
  add_text(data, "id", one.id);
  add_text(data, "method", one.what.method);
  add_text(data, "name", one.name);
  if (one.what.kind == message_kind::response)
    add_text(data, "error", one.what.outcome.text());
  data.append(",\"bytes\":").append(std::to_string(one.what.text.size()));
  if (with_content)
    data.append(",\"message\":").append(one.what.text);
  data += '}';
  return encode({.type = "message", .data = std::move(data)});
}

std::string end_of_following() { return encode({.type = "end", .data = "{}"}); }

} // namespace troupe::protocol
