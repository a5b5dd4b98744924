#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// What is known of a line that was skipped because it was too long.
struct skipped_line {
  /// How much of the beginning and of the end is kept, in bytes.
  static constexpr std::size_t kept = 64 * 1024;
  std::string head = {};
  std::string tail = {};
  /// Of the whole line with its CR if it has one, in bytes.
  std::size_t size = 0;

  void add(std::string_view piece);
  /// Nothing more is added.
  void end();

  friend bool operator==(const skipped_line&, const skipped_line&) = default;
};

/// What a reader does about a line that is longer than its limit.
enum class overflow {
  /// Stop for good: for a peer of whom all lines are needed.
  fail,
  /// Skip it up to LF and keep its beginning and end: for a server's stdout, where a cut message is worse than none.
  skip,
  /// Return the line's beginning once and skip what follows up to LF: for a server's stderr, which is only shown.
  truncate
};

/// A line reader cuts the bytes of a pipe, in whatever pieces they arrive, into lines.
///
/// LF ends a line, one CR before it is dropped, blank lines are skipped; bytes are otherwise returned as they came,
/// valid UTF-8 or not. 2025-11-25, transports, "stdio": messages are delimited by newlines and contain none; that
/// CRLF and blank lines are tolerated is what the SDKs do.
class line_reader {
public:
  /// `limit` is the length of the longest line, in bytes without its terminator; at least 1.
  explicit line_reader(std::size_t limit, overflow when_too_long = overflow::fail);

  /// The lines that `bytes` complete, oldest first. A partial line is kept for the next call, in at most `limit` + 1
  /// bytes. Once the reader has overflowed it returns nothing.
  std::vector<std::string> feed(std::string_view bytes);

  /// The lines that were skipped since this was last called, and have ended; oldest first. None but with
  /// `overflow::skip`.
  std::vector<skipped_line> take_skipped() { return std::exchange(skipped_, {}); }

  /// End of input: the last line if nothing ended it. Such a line is returned with `overflow::truncate` alone:
  /// otherwise it is half a message of a server that died. Forgets the partial line.
  std::optional<std::string> finish();

  /// Whether a line was too long. Known as soon as the line exceeds the limit, not only when it ends; never true but
  /// with `overflow::fail`.
  bool overflowed() const { return overflowed_; }

private:
  std::optional<std::string> take(std::string_view piece, bool ended);
  std::optional<std::string> exceed(std::string_view piece, bool ended);
  void skip(std::string_view piece, bool ended);
  std::size_t length_with(std::string_view piece) const;

  std::size_t limit_;
  overflow when_too_long_;
  std::string rest_;
  bool skipping_ = false;
  bool overflowed_ = false;
  /// The line that is being skipped, and those before it.
  skipped_line skips_;
  std::vector<skipped_line> skipped_;
};

} // namespace troupe::protocol
