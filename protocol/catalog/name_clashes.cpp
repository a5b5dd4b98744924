#include "protocol/catalog/name_clashes.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Longest name that is told whole, in bytes.
constexpr std::size_t longest_told = 200;

} // namespace

bool name_clashes::add(name_hidden one) {
  return all_.size() < most_name_clashes && all_.insert(std::move(one)).second;
}

void name_clashes::keep_only(const std::vector<std::uint64_t>& servers) {
  auto gone = [&](std::uint64_t server) { return std::find(servers.begin(), servers.end(), server) == servers.end(); };
  std::erase_if(all_, [&](auto& one) { return gone(one.shown) || gone(one.hidden); });
}

std::string clash_text(const name_hidden& what, std::string_view shown, std::string_view hidden) {
  auto quote = [](std::string_view text) { return '`' + one_line(text, longest_told) + '`'; };
  return std::string{"the "} + (what.kind == list_kind::prompts ? "prompt " : "tool ") + quote(what.name) + " of " +
         quote(hidden) + " is left out of merged lists, because " + quote(shown) +
         " has one of that name: give one of the two servers another `prefix`";
}

} // namespace troupe::protocol
