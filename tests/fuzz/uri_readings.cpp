// Prints the possible readings of URIs. For each line with a JSON string it prints an array of strings, or null. For an
// array of a pattern and a URI it prints whether a rule with the pattern applies.

#include "protocol/access/uri_readings.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <iostream>
#include <string>

using namespace troupe::protocol;

namespace {

std::string listed(const std::vector<std::string>& texts) {
  std::string result;
  for (auto& one : texts)
    result.append(result.empty() ? "[" : ",").append(quoted(one));
  return result + "]";
}

/// An invalid pattern grants no access, and a URI with unclear readings is hidden from everyone.
bool holds(std::string_view pattern_and_uri) {
  array_reader pair{pattern_and_uri};
  pair.next();
  const auto pattern = string_value(pair.value()).value_or("");
  pair.next();
  const auto readings = readings_of_uri(string_value(pair.value()).value_or(""));
  return refuse_uri_pattern(pattern) || !readings || !readings->file_hosts.empty() ||
         std::ranges::any_of(readings->texts,
                             [named = name_pattern{offered::resource, pattern}](auto& one) { return named.fits(one); });
}

} // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);)
    if (line.starts_with('['))
      std::cout << (holds(line) ? "true\n" : "false\n");
    else if (const auto readings = readings_of_uri(string_value(line).value_or("")))
      std::cout << listed(readings->texts) << '\n';
    else
      std::cout << "null\n";
}
