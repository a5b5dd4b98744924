#include "protocol/http/original_request.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace troupe::protocol {

namespace {

std::string key_of(const ip_address& address) {
  const auto& bytes = address.bytes;
  return address.is_four() ? std::string{bytes.begin() + 12, bytes.end()}
                           : std::string{bytes.begin(), bytes.begin() + 8};
}

std::string limited_key(const ip_address& address) { return address.is_loopback() ? std::string{} : key_of(address); }

/// Statements of one proxy.
struct forwarded_hop {
  std::string_view client = {};
  std::string_view host = {};
  std::string_view scheme = {};
  std::string_view prefix = {};
};

/// Parses an address; some proxies add the port.
std::optional<ip_address> address_in(std::string_view text) {
  if (auto plain = read_ip_address(without_brackets(text)))
    return plain;
  auto with_port = read_host_port(text);
  return with_port ? read_ip_address(with_port->host) : std::nullopt;
}

/// Takes the text up to a character outside of quotes, and that character, off the front.
std::string_view take_until(char end, std::string_view& rest) {
  auto is_quoted = false;
  std::size_t at = 0;
  for (; at < rest.size() && (is_quoted || rest[at] != end); ++at)
    if (rest[at] == '"')
      is_quoted = !is_quoted;
    else if (rest[at] == '\\' && is_quoted && at + 1 < rest.size())
      ++at;
  auto result = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return without_blanks(result);
}

/// Removes the quotes. Escapes in a quoted text stay: no host, address or scheme has any.
std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

forwarded_hop read_hop(std::string_view element) {
  forwarded_hop result;
  while (!element.empty()) {
    auto value = take_until(';', element);
    auto name = take_until('=', value);
    for (auto [known, to] : {std::pair{"for", &result.client}, {"host", &result.host}, {"proto", &result.scheme}})
      if (same_word(name, known))
        *to = without_quotes(without_blanks(value));
  }
  return result;
}

/// Returns the elements of all fields of a name, the nearest proxy's first.
std::vector<std::string_view> elements_of(const http_request& request, std::string_view name) {
  std::vector<std::string_view> result;
  for (auto& field : request.fields)
    for (auto rest = same_word(field.name, name) ? field.value : std::string_view{}; !rest.empty();)
      result.push_back(take_until(',', rest));
  std::ranges::reverse(result);
  return result;
}

std::vector<forwarded_hop> hops_by_rfc(const http_request& request) {
  std::vector<forwarded_hop> result;
  for (auto element : elements_of(request, "Forwarded"))
    result.push_back(read_hop(element));
  return result;
}

/// Reads the `X-Forwarded-` fields. Scheme and host come from one proxy only, the first or the last that set them.
std::vector<forwarded_hop> hops_by_custom(const http_request& request) {
  std::vector<forwarded_hop> result;
  for (auto client : elements_of(request, "X-Forwarded-For"))
    result.push_back({.client = client});
  auto hosts = elements_of(request, "X-Forwarded-Host"), schemes = elements_of(request, "X-Forwarded-Proto");
  if (result.empty() && !(hosts.empty() && schemes.empty()))
    result.emplace_back();
  if (!hosts.empty())
    result.front().host = hosts.front();
  if (!schemes.empty())
    result.front().scheme = schemes.front();
  return result;
}

/// Returns the hops; nullopt if the two kinds of fields contradict each other.
std::optional<std::vector<forwarded_hop>> agreed_hops(const http_request& request) {
  auto one = hops_by_rfc(request), other = hops_by_custom(request);
  if (one.empty() || other.empty())
    return one.empty() ? other : one;
  auto by_one = address_in(one.front().client), by_other = address_in(other.front().client);
  return by_one && by_one == by_other ? std::optional{std::move(one)} : std::nullopt;
}

/// Returns a prefix without a slash at its end; empty if invalid.
std::string_view prefix_in(std::string_view text) {
  if (text.size() > 1 && text.ends_with('/'))
    text.remove_suffix(1);
  return fault_of_prefix(text).empty() ? text : std::string_view{};
}

/// Returns all hops. The prefix comes from one proxy only, the first or the last that set it.
std::vector<forwarded_hop> hops_of(const http_request& request) {
  auto result = agreed_hops(request);
  auto prefixes = elements_of(request, "X-Forwarded-Prefix");
  if (!result || prefixes.empty())
    return std::move(result).value_or(std::vector<forwarded_hop>{});
  if (result->empty())
    result->emplace_back();
  result->front().prefix = prefix_in(prefixes.front());
  return std::move(*result);
}

/// Applies the statements of a hop about the request that it received.
void believe(const forwarded_hop& hop, original_request& to) {
  if (!hop.host.empty())
    to.host = hop.host;
  if (!hop.scheme.empty())
    to.is_secure = same_word(hop.scheme, "https");
  if (!hop.prefix.empty())
    to.prefix = hop.prefix;
}

/// Names of fields by which proxies and content delivery networks name a client, or describe the request that they
/// received: whole names, beginnings and ends.
template <std::size_t N>
using mark_list = std::array<std::string_view, N>;
constexpr mark_list<6> whole_marks{"Forwarded", "Via", "X-Forwarded", "CDN-Loop", "X-Rewrite-URL", "Front-End-Https"};
constexpr mark_list<7> first_of_marks{"X-Forwarded-", "X-Original-", "X-Envoy-",  "X-ARR-",
                                      "CF-",          "Fastly-",     "Tailscale-"};
constexpr mark_list<10> last_of_marks{"Client-IP",     "ClientIP", "Real-IP",   "Connecting-IP", "Connection-IP",
                                      "Forwarded-For", "User-IP",  "Remote-IP", "Remote-Addr",   "External-Address"};

/// Set of pairs of letters of any case, and of whatever has the same five low bits. Most names are no marks by their
/// first and last two characters alone.
class letter_pairs {
public:
  constexpr void add(char first, char second) { has_[place(first, second)] = true; }
  constexpr bool has(char first, char second) const { return has_[place(first, second)]; }

private:
  static constexpr std::size_t place(char first, char second) { return (first & 31U) << 5U | (second & 31U); }

  std::array<bool, 1024> has_{};
};

constexpr letter_pairs first_pairs = [] {
  letter_pairs result;
  for (auto mark : whole_marks)
    result.add(mark[0], mark[1]);
  for (auto mark : first_of_marks)
    result.add(mark[0], mark[1]);
  return result;
}();

constexpr letter_pairs last_pairs = [] {
  letter_pairs result;
  for (auto mark : last_of_marks)
    result.add(mark[mark.size() - 2], mark.back());
  return result;
}();

bool is_mark_by_beginning(std::string_view name) {
  const auto begins = [name](std::string_view mark) { return same_word(name.substr(0, mark.size()), mark); };
  return std::ranges::any_of(whole_marks, [name](std::string_view mark) { return same_word(name, mark); }) ||
         std::ranges::any_of(first_of_marks, begins);
}

bool is_mark_by_end(std::string_view name) {
  return std::ranges::any_of(last_of_marks, [name](std::string_view mark) {
    return name.size() >= mark.size() && same_word(name.substr(name.size() - mark.size()), mark);
  });
}

bool is_passed_on(const http_request& request) {
  return std::ranges::any_of(request.fields, [](const http_field& field) { return is_mark_of_proxy(field.name); });
}

} // namespace

bool is_mark_of_proxy(std::string_view name) {
  return name.size() > 1 && ((first_pairs.has(name[0], name[1]) && is_mark_by_beginning(name)) ||
                             (last_pairs.has(name[name.size() - 2], name.back()) && is_mark_by_end(name)));
}

std::string connection_address(std::string_view peer, const ip_networks& trusted_proxies) {
  auto address = read_ip_address(peer);
  return address && !trusted_proxies.has(*address) ? limited_key(*address) : std::string{};
}

std::string client_address(const http_request& request, const ip_networks& trusted_proxies) {
  if (request.is_local && trusted_proxies.is_empty())
    return {}; // most requests: their address need not be parsed
  const auto peer = read_ip_address(request.peer);
  if (!peer)
    return {};
  const auto is_told = trusted_proxies.has(*peer) && is_passed_on(request);
  const auto client = original_of(request, trusted_proxies).client.value_or(*peer);
  return is_told ? key_of(client) : limited_key(client);
}

std::string source_address(const http_request& request, const ip_networks& trusted_proxies) {
  const auto client = original_of(request, trusted_proxies).client;
  return client ? key_of(*client) : std::string{};
}

/// The statements of a proxy count only if all proxies between it and the gateway are trusted.
original_request original_of(const http_request& request, const ip_networks& trusted_proxies) {
  original_request result{read_ip_address(request.peer), request.field("Host"), {}, request.is_secure};
  if (!result.client || !trusted_proxies.has(*result.client))
    return result;
  for (auto& hop : hops_of(request)) {
    believe(hop, result);
    auto next = address_in(hop.client);
    if (!next)
      break;
    result.client = next;
    if (!trusted_proxies.has(*next))
      break;
  }
  return result;
}

} // namespace troupe::protocol
