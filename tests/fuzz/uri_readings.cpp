// Tells what URIs may be read as: a JSON string a line, and for each an array of strings, or null.

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/json.hpp"

#include <iostream>
#include <string>

using namespace troupe::protocol;

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto readings = readings_of_uri(string_value(line).value_or(""));
    std::string text;
    if (readings)
      for (auto& one : *readings)
        text.append(text.empty() ? "[" : ",").append(quoted(one));
    std::cout << (readings ? text + "]" : "null") << '\n';
  }
}
