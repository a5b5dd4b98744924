#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::deploy {

// What a gateway says of what lives, as tables for people. `width` is that of the terminal; 0 is no limit.

std::string sessions_table(const std::vector<boost::json::value>& sessions, std::size_t width);
/// One session, with a table of its calls.
std::string session_page(const boost::json::value& session, std::size_t width);
/// Calls of all sessions.
std::string calls_table(const boost::json::array& calls, std::size_t width);
std::string servers_table(const boost::json::array& servers, std::size_t width);
/// What each node says of itself; one that did not answer has a name alone.
std::string nodes_table(const std::vector<boost::json::value>& nodes, std::size_t width);

} // namespace troupe::deploy
