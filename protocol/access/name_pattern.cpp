#include "protocol/access/name_pattern.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/glob.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool stands_for_others(char c) { return c == unwritten_wildcards.any || c == unwritten_wildcards.one; }

/// What it costs to see that a name does not begin as a pattern does: measured.
constexpr std::size_t effort_of_one = 2;

} // namespace

name_pattern::name_pattern(offered kind, std::string text) : text_{std::move(text)} {
  const wildcard_words words{text_};
  const auto readable = words.put_into(text_);
  auto written = kind == offered::resource ? spellings_of_uri(readable) : uri_readings{{readable}};
  for (auto& one : written.texts)
    spellings_.push_back(spelled(words.taken_out_of(std::move(one))));
  for (auto& one : written.file_hosts)
    if (auto host = words.taken_out_of(std::move(one)); !std::ranges::all_of(host, stands_for_others))
      file_hosts_.push_back(std::move(host));
}

bool name_pattern::fits(std::string_view name) const {
  return std::ranges::any_of(spellings_, [&](auto& one) {
    return begins_as(one, name) &&
           fits_glob(std::string_view{one.text}.substr(one.literal), name.substr(one.literal), unwritten_wildcards);
  });
}

name_pattern::spelling name_pattern::spelled(std::string text) {
  const auto literal = std::ranges::find_if(text, stands_for_others) - text.begin();
  return {std::move(text), static_cast<std::size_t>(literal)};
}

/// Most names differ from most patterns before the first wildcard.
bool name_pattern::begins_as(const spelling& one, std::string_view name) {
  return name.starts_with(std::string_view{one.text}.substr(0, one.literal));
}

std::size_t name_pattern::effort_for(std::string_view name) const {
  std::size_t result = 0;
  for (auto& one : spellings_)
    result += effort_of_one + (begins_as(one, name) ? name.size() : 0);
  return result;
}

bool name_pattern::names_file_host(std::string_view host) const {
  return std::ranges::any_of(file_hosts_, [&](auto& one) { return fits_glob(one, host, unwritten_wildcards); });
}

} // namespace troupe::protocol
