#include "protocol/metrics/operation.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/text/words.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view tools_call = "tools/call";
constexpr std::string_view prompts_get = "prompts/get";

/// Longer names are cut: no server has them.
constexpr std::size_t longest_operation_name = 128;

std::string_view known_method(std::string_view method) {
  for (auto one : {tools_call, prompts_get})
    if (method == one)
      return one;
  const auto known = known_client_method(method);
  return known.empty() ? std::string_view{other_label} : known;
}

/// Whether two static texts are the same object.
bool is_same_place(std::string_view a, std::string_view b) { return a.data() == b.data() && a.size() == b.size(); }

/// Rare case, kept out of `operation_of`: the fewer instructions a call has to fetch, the better.
[[gnu::noinline]] operation with_own_name(std::string_view method, const message& request) {
  auto name = name_param(request);
  if (name.size() > longest_operation_name)
    name = one_line(name, longest_operation_name);
  auto own = std::make_unique<const std::string>(std::move(name));
  return {method, *own, std::move(own)};
}

/// Rare case, kept out of `record`. A name that counts as `other` may be known next time: it is looked up again then.
[[gnu::noinline]] void record_anew(thread_metrics& in, metric which, const operation& what, peer_labels by,
                                   call_outcome how, std::chrono::nanoseconds duration) {
  const auto outcome = how.label();
  const auto name = in.bounded(what.name, how.has_run());
  auto& found = in.durations(which, {what.method, name, by.server, by.transport, outcome});
  if (name == what.name)
    in.last_operation(which) = {what.method, by.transport, outcome, name, std::string{by.server}, &found};
  found.record_alone(duration);
}

} // namespace

operation operation_of(const message& request, thread_metrics* known_by) {
  const auto method = known_method(request.method);
  if (!is_same_place(method, tools_call) && !is_same_place(method, prompts_get))
    return {method};
  if (const auto known = known_by ? known_by->known_name(name_token(request).value_or("")) : ""; !known.empty())
    return {method, known};
  return with_own_name(method, request);
}

void record(thread_metrics& in, metric which, const operation& what, peer_labels by, call_outcome how,
            std::chrono::nanoseconds duration) {
  const auto& last = in.last_operation(which);
  if (!last.durations || !is_same_place(last.outcome, how.label()) || !is_same_place(last.method, what.method) ||
      !is_same_place(last.transport, by.transport) || !is_same_place(last.name, what.name) || last.server != by.server)
    return record_anew(in, which, what, by, how, duration);
  last.durations->record_alone(duration);
}

} // namespace troupe::protocol
