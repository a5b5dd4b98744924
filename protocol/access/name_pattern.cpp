#include "protocol/access/name_pattern.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/uri_pattern.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool stands_for_others(char c) { return c == unwritten_wildcards.any || c == unwritten_wildcards.one; }

} // namespace

name_pattern::name_pattern(offered kind, std::string text) : text_{std::move(text)} {
  const wildcard_words words{text_};
  const auto readable = words.put_into(text_);
  auto written = kind == offered::resource ? spellings_of_uri(readable) : uri_readings{{readable}};
  for (auto& one : written.texts)
    spellings_.push_back(words.taken_out_of(std::move(one)));
  for (auto& one : written.file_hosts)
    if (auto host = words.taken_out_of(std::move(one)); !std::ranges::all_of(host, stands_for_others))
      file_hosts_.push_back(std::move(host));
}

bool name_pattern::fits(std::string_view name) const {
  return std::ranges::any_of(spellings_, [&](auto& one) { return fits_glob(one, name, unwritten_wildcards); });
}

bool name_pattern::names_file_host(std::string_view host) const {
  return std::ranges::any_of(file_hosts_, [&](auto& one) { return fits_glob(one, host, unwritten_wildcards); });
}

} // namespace troupe::protocol
