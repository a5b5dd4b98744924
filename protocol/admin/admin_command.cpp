#include "protocol/admin/admin_command.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Fields of a query such as `after=7&limit=50&idle=true`. Each is taken once, by name. Errors are reported at the end,
/// by `fault`.
class query_fields {
public:
  explicit query_fields(std::string_view query);

  /// Returns and removes a field; nothing when it is absent.
  std::optional<std::string> extract(std::string_view name);
  std::uint64_t extract_number(std::string_view name, std::uint64_t otherwise);
  /// Takes a number from 1 to `most`.
  std::size_t extract_size(std::string_view name, std::size_t otherwise, std::size_t most);
  /// Takes `true` or `false`.
  std::optional<bool> extract_choice(std::string_view name);

  /// Returns the first error, in one line: a field that cannot be parsed, or one that was not taken.
  std::optional<std::string> fault() const;

private:
  void add_problem(std::string what);

  std::vector<std::pair<std::string, std::string>> all_;
  /// First error.
  std::optional<std::string> fault_;
};

query_fields::query_fields(std::string_view query) {
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto name = pair.substr(0, pair.find('='));
    std::string text{pair.substr(std::min(name.size() + 1, pair.size()))};
    std::ranges::replace(text, '+', ' ');
    auto value = percent_decoded(text);
    if (!value)
      add_problem("the query has a % without two hexadecimal digits");
    else if (!name.empty())
      all_.emplace_back(name, std::move(*value));
  }
}

void query_fields::add_problem(std::string what) {
  if (!fault_)
    fault_ = std::move(what);
}

std::optional<std::string> query_fields::extract(std::string_view name) {
  auto found = std::ranges::find(all_, name, &std::pair<std::string, std::string>::first);
  if (found == all_.end())
    return std::nullopt;
  auto result = std::move(found->second);
  all_.erase(found);
  return result;
}

std::uint64_t query_fields::extract_number(std::string_view name, std::uint64_t otherwise) {
  const auto text = extract(name);
  const auto number = text ? read_number(*text) : otherwise;
  if (!number)
    add_problem(std::string{name} + " has to be a number");
  return number.value_or(otherwise);
}

std::size_t query_fields::extract_size(std::string_view name, std::size_t otherwise, std::size_t most) {
  const auto number = extract_number(name, otherwise);
  if (number < 1 || number > most)
    add_problem(std::string{name} + " has to be a number from 1 to " + std::to_string(most));
  return static_cast<std::size_t>(number);
}

std::optional<bool> query_fields::extract_choice(std::string_view name) {
  const auto text = extract(name);
  if (text && *text != "true" && *text != "false")
    add_problem(std::string{name} + " has to be true or false");
  return text ? std::optional{*text == "true"} : std::nullopt;
}

std::optional<std::string> query_fields::fault() const {
  if (fault_ || all_.empty())
    return fault_;
  return "there is no parameter " + all_.front().first.substr(0, 100) + " at this path, or it is there twice";
}

/// Request at a path that exists; `names` are the parts of the path in place of each `*` of the pattern.
struct asked {
  std::vector<std::string> names;
  query_fields query;
  std::string_view body;
};

using read_order = std::variant<rejection, admin_command>;

// -- the order of each path --------------------------------------------------------------

rejection nothing_here() { return refusal(404, "there is nothing for operators at this path"); }

/// Calls `then` with the number at a place of the path.
template <class Then>
read_order with_number(const asked& what, std::size_t place, Then then) {
  const auto number = read_number(what.names[place]);
  return number ? then(*number) : read_order{nothing_here()};
}

template <class Order>
read_order order_alone(asked&) {
  return Order{};
}

/// Takes `verbose` alone, as Kubernetes does, and with a value.
read_order readiness_order(asked& what) {
  const auto verbose = what.query.extract("verbose");
  return show_readiness_now{verbose && *verbose != "false"};
}

read_order sessions_order(asked& what) {
  list_sessions result;
  result.after = what.query.extract_number("after", 0);
  result.limit = what.query.extract_size("limit", result.limit, longest_page);
  result.server = what.query.extract("server").value_or("");
  result.caller = what.query.extract("caller").value_or("");
  result.id = what.query.extract("id").value_or("");
  result.idle = what.query.extract_choice("idle");
  return result;
}

template <class Order>
read_order order_of_session(asked& what) {
  return with_number(what, 0, [](auto number) -> read_order { return Order{number}; });
}

read_order end_call_order(asked& what) {
  return with_number(what, 0, [&](auto session) {
    return with_number(what, 1, [&](auto call) -> read_order { return end_call_now{session, call}; });
  });
}

read_order follow_order(asked& what) {
  const auto content = what.query.extract_choice("content").value_or(false);
  return with_number(what, 0, [&](auto number) -> read_order { return follow_session{number, content}; });
}

read_order calls_order(asked& what) { return list_calls{what.query.extract_size("limit", 100, longest_page)}; }

read_order server_shown(asked& what) { return list_servers{what.names[0]}; }

template <change_server::kind Kind>
read_order server_changed(asked& what) {
  return change_server{what.names[0], Kind};
}

read_order drain_order(asked& what) {
  auto text = what.query.extract("rate");
  if (!text)
    return drain_gateway{};
  auto rate = read_drain_rate(*text);
  return rate ? drain_gateway{rate} : read_order{refusal(400, no_drain_rate(*text))};
}

read_order log_level_set(asked& what) {
  const auto body = trimmed(what.body);
  const auto is_object = !json_error(body) && body.starts_with('{');
  auto level = is_object ? find_string(body, {"level"}) : std::nullopt;
  if (!level || level->empty())
    return refusal(400, R"(the body has to be {"level":"debug"}, or info, warning or error in its place)");
  return log_level_command{std::move(*level)};
}

// -- the paths ---------------------------------------------------------------------------

struct operator_route {
  std::string_view method;
  /// `*` is a part that may be anything.
  std::string_view pattern;
  read_order (*read)(asked&);
};

constexpr std::array operator_routes = {
    operator_route{"GET", "/api/state", order_alone<show_state>},
    operator_route{"GET", "/readyz", readiness_order},
    operator_route{"GET", "/api/node", order_alone<show_node>},
    operator_route{"GET", "/api/sessions", sessions_order},
    operator_route{"GET", "/api/sessions/*", order_of_session<show_session>},
    operator_route{"DELETE", "/api/sessions/*", order_of_session<end_session_now>},
    operator_route{"DELETE", "/api/sessions/*/calls/*", end_call_order},
    operator_route{"GET", "/api/sessions/*/follow", follow_order},
    operator_route{"GET", "/api/calls", calls_order},
    operator_route{"GET", "/api/servers", order_alone<list_servers>},
    operator_route{"GET", "/api/servers/*", server_shown},
    operator_route{"POST", "/api/servers/*/restart", server_changed<change_server::kind::restart>},
    operator_route{"POST", "/api/servers/*/enable", server_changed<change_server::kind::enable>},
    operator_route{"POST", "/api/servers/*/disable", server_changed<change_server::kind::disable>},
    operator_route{"POST", "/api/reload", order_alone<reload_configuration>},
    operator_route{"POST", "/api/drain", drain_order},
    operator_route{"DELETE", "/api/drain", order_alone<undrain_gateway>},
    operator_route{"GET", "/api/log-level", order_alone<log_level_command>},
    operator_route{"PUT", "/api/log-level", log_level_set},
};

/// HEAD is answered like GET, without the body (RFC 9110, 9.1), except where the body is a stream to follow.
bool has_head(const operator_route& one) { return one.method == "GET" && one.read != follow_order; }

bool is_asked_for(const operator_route& one, std::string_view method) {
  return one.method == method || (method == "HEAD" && has_head(one));
}

std::string_view cut_part(std::string_view& of) {
  const auto part = of.substr(0, of.find('/'));
  of.remove_prefix(std::min(part.size() + 1, of.size()));
  return part;
}

/// Returns the parts in place of each `*`, decoded; nothing when the path does not match.
std::optional<std::vector<std::string>> match_route(std::string_view path, std::string_view pattern) {
  std::vector<std::string> result;
  if (path.ends_with('/') || std::ranges::count(path, '/') != std::ranges::count(pattern, '/'))
    return std::nullopt;
  while (!pattern.empty()) {
    const auto expected = cut_part(pattern);
    const auto part = cut_part(path);
    auto name = expected == "*" ? percent_decoded(part) : std::nullopt;
    if (expected == "*" ? !name || name->empty() : part != expected)
      return std::nullopt;
    if (name)
      result.push_back(std::move(*name));
  }
  return result;
}

std::variant<rejection, addressed_command> read_at(const operator_route& route, asked what) {
  auto node = what.query.extract("node").value_or("");
  auto order = route.read(what);
  if (auto* no = std::get_if<rejection>(&order))
    return std::move(*no);
  if (auto why = what.query.fault())
    return refusal(400, std::move(*why));
  return addressed_command{std::move(node), std::get<admin_command>(std::move(order))};
}

} // namespace

std::variant<rejection, addressed_command> read_operator_order(const operator_request& request) {
  const std::string_view target = request.target;
  const auto path = target.substr(0, target.find('?'));
  const auto query = target.substr(std::min(path.size() + 1, target.size()));
  std::string methods;
  for (const auto& one : operator_routes) {
    auto names = match_route(path, one.pattern);
    if (names && is_asked_for(one, request.method))
      return read_at(one, {std::move(*names), query_fields{query}, request.body});
    if (names)
      methods.append(methods.empty() ? "" : ", ").append(one.method).append(has_head(one) ? ", HEAD" : "");
  }
  return methods.empty() ? nothing_here() : method_not_allowed(methods);
}

} // namespace troupe::protocol
