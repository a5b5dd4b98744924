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

// Members of an answer. What is missing or of another type is empty: another version of the gateway may have answered.

const boost::json::array& array_at(const boost::json::value& of, std::string_view name);
std::string text_at(const boost::json::value& of, std::string_view name);
bool flag_at(const boost::json::value& of, std::string_view name);
/// Whether there is a member of that name.
bool has(const boost::json::value& of, std::string_view name);
/// A whole number, not negative.
std::uint64_t whole_at(const boost::json::value& of, std::string_view name);
std::string whole_text_at(const boost::json::value& of, std::string_view name);
/// The members of an object of numbers.
std::vector<std::pair<std::string, std::uint64_t>> counts_at(const boost::json::value& of, std::string_view name);
std::chrono::milliseconds time_at(const boost::json::value& of, std::string_view name);

} // namespace troupe::deploy
