#include "deploy/log/packed_record.hpp"

#include "deploy/log/access_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace troupe::deploy {

namespace {

/// Gives each text of a record to `take`, in the order in which they are packed.
template <class Record, class Take>
constexpr void each_text(Record& of, Take take) {
  take(of.request);
  take(of.client);
  take(of.caller);
  take(of.http_method);
  take(of.path);
  take(of.session);
  take(of.method);
  take(of.tool);
  take(of.server);
  take(of.error);
  take(of.trace);
}

constexpr auto text_count = [] {
  std::size_t result = 0;
  constexpr access_record any;
  each_text(any, [&](auto&&) { ++result; });
  return result;
}();

/// What stands before the texts of a record: all else of it, and how long they are.
struct packed_head {
  std::chrono::system_clock::time_point at;
  std::chrono::microseconds total, in_server;
  std::uint64_t bytes_in, bytes_out;
  int status;
  std::array<std::uint16_t, text_count> sizes;
};

/// A field that a record has besides is to be packed, too.
static_assert(sizeof(access_record) == 6 * sizeof(std::uint64_t) + text_count * sizeof(std::string_view));

/// Clients choose some of them. One that is too long for a line still is when it is cut here.
std::string_view packed_text(std::string_view text) { return text.substr(0, longest_access_value + 1); }

} // namespace

std::size_t packed_size(const access_record& record) {
  auto result = sizeof(packed_head);
  each_text(record, [&](std::string_view text) { result += packed_text(text).size(); });
  return result;
}

void append_packed(std::string& to, const access_record& record) {
  const auto at = to.size();
  to.resize(at + packed_size(record));
  packed_head head{record.at, record.total, record.in_server, record.bytes_in, record.bytes_out, record.status, {}};
  char* end = to.data() + at + sizeof head;
  std::size_t place = 0;
  each_text(record, [&](std::string_view text) {
    const auto kept = packed_text(text);
    head.sizes[place++] = static_cast<std::uint16_t>(kept.size());
    end = std::ranges::copy(kept, end).out;
  });
  std::memcpy(to.data() + at, &head, sizeof head);
}

access_record take_packed(std::string_view& from) {
  packed_head head;
  std::memcpy(&head, from.data(), sizeof head);
  from.remove_prefix(sizeof head);
  access_record result{.at = head.at,
                       .status = head.status,
                       .total = head.total,
                       .in_server = head.in_server,
                       .bytes_in = head.bytes_in,
                       .bytes_out = head.bytes_out};
  std::size_t place = 0;
  each_text(result, [&](std::string_view& text) {
    text = from.substr(0, head.sizes[place++]);
    from.remove_prefix(text.size());
  });
  return result;
}

} // namespace troupe::deploy
