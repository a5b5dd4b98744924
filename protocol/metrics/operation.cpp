#include "protocol/metrics/operation.hpp"

#include "protocol/message/message_parts.hpp"
#include "protocol/text/one_line.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Requests of clients, of all revisions and the extensions that are known here.
constexpr std::string_view client_methods[] = {"tools/call",
                                               "tools/list",
                                               "resources/read",
                                               "resources/list",
                                               "resources/templates/list",
                                               "resources/subscribe",
                                               "resources/unsubscribe",
                                               "prompts/get",
                                               "prompts/list",
                                               "completion/complete",
                                               "logging/setLevel",
                                               "initialize",
                                               "ping",
                                               "server/discover",
                                               "subscriptions/listen",
                                               "tasks/get",
                                               "tasks/list",
                                               "tasks/result",
                                               "tasks/update",
                                               "tasks/cancel"};

/// Longer names than this are cut: they are none of a server's.
constexpr std::size_t longest_operation_name = 128;

std::string_view known_method(std::string_view method) {
  auto known = std::ranges::find(client_methods, method);
  return known != std::end(client_methods) ? *known : other_label;
}

} // namespace

operation operation_of(const message& request) {
  if (!request.is_method("tools/call") && !request.is_method("prompts/get"))
    return {known_method(request.method), {}};
  auto name = name_param(request);
  if (name.size() > longest_operation_name)
    name = one_line(name, longest_operation_name);
  return {known_method(request.method), std::move(name)};
}

void record(thread_metrics& in, metric which, const operation& what, const operation_peer& by, call_outcome how,
            std::chrono::nanoseconds duration) {
  auto name = in.bounded(what.name, how.has_run());
  in.durations(which, {what.method, name, by.server, by.transport, how.label()}).record(duration);
}

} // namespace troupe::protocol
