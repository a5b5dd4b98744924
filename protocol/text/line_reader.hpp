#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Remains of a line that was skipped because it was too long.
struct skipped_line {
  /// Size of `head`, and final size of `tail`, in bytes; less for shorter lines.
  static constexpr std::size_t kept = 64 * 1024;
  std::string head = {};
  std::string tail = {};
  /// Size of the whole line with its CR if it has one, in bytes.
  std::size_t size = 0;

  void add(std::string_view piece);
  /// Completes the line: cuts the tail to its final size.
  void end();

  friend bool operator==(const skipped_line&, const skipped_line&) = default;
};

/// Action on a line that is longer than the limit.
enum class overflow {
  /// Stop for good: for a peer whose every line is needed.
  fail,
  /// Skip the line up to LF and keep its beginning and end: for a server's stdout, where a cut message is worse than
  /// none.
  skip,
  /// Return the line's beginning once and skip the rest up to LF: for a server's stderr, which is only shown.
  truncate
};

/// Splits the bytes of a pipe, arriving in any pieces, into lines.
///
/// LF ends a line, one CR before it is dropped, and blank lines are skipped. Other bytes are returned unchanged, valid
/// UTF-8 or not. 2025-11-25, transports, "stdio": messages are delimited by newlines and contain none. CRLF and blank
/// lines are tolerated because the SDKs do so.
class line_reader {
public:
  /// `limit`: length of the longest line, in bytes without its terminator; at least 1.
  explicit line_reader(std::size_t limit, overflow when_too_long = overflow::fail);

  /// Returns the lines that `bytes` complete, oldest first. Keeps a partial line for the next call, in up to `limit` +
  /// 1 bytes. Returns nothing once the reader has overflowed.
  std::vector<std::string> feed(std::string_view bytes);

  /// Returns the skipped lines that have ended since the last call, oldest first. Empty except with `overflow::skip`.
  std::vector<skipped_line> take_skipped() { return std::exchange(skipped_, {}); }

  /// Ends the input and forgets the partial line. Only `overflow::truncate` returns that line: otherwise it is half a
  /// message of a server that exited.
  std::optional<std::string> finish();

  /// Whether a line was too long, known as soon as the line exceeds the limit, not only when it ends. Never true except
  /// with `overflow::fail`.
  bool overflowed() const { return overflowed_; }

private:
  std::optional<std::string> feed_piece(std::string_view piece, bool ended);
  std::optional<std::string> exceed(std::string_view piece, bool ended);
  void skip(std::string_view piece, bool ended);
  std::size_t length_with(std::string_view piece) const;

  std::size_t limit_;
  overflow when_too_long_;
  std::string rest_;
  bool skipping_ = false;
  bool overflowed_ = false;
  /// Line that is being skipped, and the skipped lines before it.
  skipped_line skips_;
  std::vector<skipped_line> skipped_;
};

} // namespace troupe::protocol
