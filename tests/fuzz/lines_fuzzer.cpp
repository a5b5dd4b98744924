// A line reader works with any pieces, and enforces its limit.

#include "protocol/text/line_reader.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

struct heard {
  std::vector<std::string> lines;
  std::vector<skipped_line> skipped;
  bool has_overflowed = false;

  friend bool operator==(const heard&, const heard&) = default;
};

heard read(std::string_view text, std::size_t piece, std::size_t limit, overflow when_too_long) {
  line_reader reader{limit, when_too_long};
  heard result;
  in_pieces(text, piece, [&](std::string_view bytes) {
    for (auto& one : reader.feed(bytes))
      result.lines.push_back(std::move(one));
    for (auto& one : reader.take_skipped())
      result.skipped.push_back(std::move(one));
  });
  result.has_overflowed = reader.overflowed();
  if (auto last = reader.finish())
    result.lines.push_back(std::move(*last));
  return result;
}

void check(const heard& what, std::size_t limit) {
  for (auto& one : what.lines)
    require(!one.empty() && one.size() <= limit && one.find('\n') == one.npos, "a line is one, within the limit");
  for (auto& one : what.skipped)
    require(one.size > limit && one.head.size() <= one.size && one.tail.size() <= one.size, "a skipped line is longer");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  const auto piece = from.number();
  const auto limit = 1 + from.number();
  for (auto when_too_long : {overflow::fail, overflow::skip, overflow::truncate}) {
    auto whole = read(from.rest(), from.rest().size(), limit, when_too_long);
    check(whole, limit);
    require(whole == read(from.rest(), piece, limit, when_too_long), "pieces make the same lines");
  }
  return 0;
}
