#include "protocol/cluster/spoken_versions.hpp"

#include "protocol/text/number.hpp"

#include <algorithm>
#include <limits>

namespace troupe::protocol {

namespace {

/// Accepts only our own form: digits without a leading zero.
std::optional<std::uint32_t> read_version(std::string_view text) {
  auto number = read_number(text);
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max() || text.front() == '0')
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

} // namespace

std::string versions_text(const spoken_versions& which) {
  auto oldest = std::to_string(which.oldest);
  return which.oldest == which.newest ? oldest : oldest + '-' + std::to_string(which.newest);
}

std::optional<spoken_versions> read_versions(std::string_view text) {
  auto hyphen = text.find('-');
  auto oldest = read_version(text.substr(0, hyphen));
  auto newest = hyphen == text.npos ? oldest : read_version(text.substr(hyphen + 1));
  if (!oldest || !newest || (hyphen != text.npos && *oldest >= *newest))
    return std::nullopt;
  return spoken_versions{*oldest, *newest};
}

std::optional<std::uint32_t> common_version(const spoken_versions& one, const spoken_versions& other) {
  auto newest = std::min(one.newest, other.newest);
  return newest >= std::max(one.oldest, other.oldest) ? std::optional{newest} : std::nullopt;
}

std::string why_strange(const std::string& theirs, const std::string& ours) {
  const auto one = read_versions(theirs), other = read_versions(ours);
  if (!one)
    return "it says that it speaks version " + theirs + " of the protocol between nodes, which is none";
  if (!other || !common_version(*one, *other))
    return "it speaks version " + theirs + " of the protocol between nodes, here it is " + ours;
  return {};
}

} // namespace troupe::protocol
