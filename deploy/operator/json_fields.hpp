#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

// Members of an answer. Missing members and those of another type are empty: the gateway may be of another version.

const boost::json::array& array_at(const boost::json::value& of, std::string_view name);
/// Returns a member of any type.
const boost::json::value& value_at(const boost::json::value& of, std::string_view name);
std::string text_at(const boost::json::value& of, std::string_view name);
bool flag_at(const boost::json::value& of, std::string_view name);
/// True if there is a member of that name.
bool has(const boost::json::value& of, std::string_view name);
/// Returns a whole number that is not negative; 0 for anything else.
std::uint64_t whole_number_at(const boost::json::value& of, std::string_view name);
std::string whole_number_text_at(const boost::json::value& of, std::string_view name);
/// Returns the members of an object of numbers.
std::vector<std::pair<std::string, std::uint64_t>> counts_at(const boost::json::value& of, std::string_view name);
std::chrono::milliseconds time_at(const boost::json::value& of, std::string_view name);

} // namespace troupe::deploy
