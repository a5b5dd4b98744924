#pragma once

#include "actors/troupe/access_record.hpp"
#include "deploy/log/log.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::deploy {

struct access_log_options {
  /// Path of the file; `-` for stdout; no log when empty.
  std::string file;
  log_format format = log_format::json;

  friend bool operator==(const access_log_options&, const access_log_options&) = default;
};

/// Access log: appends a line for each request to a file, on its own thread. Destroying this and the last copy of its
/// sink writes the remaining lines.
class access_log {
public:
  /// Throws `std::runtime_error` with one line when the file cannot be opened.
  explicit access_log(access_log_options options);

  access_sink sink() const;
  /// Counts the lines dropped so far. The count is 0 once this and the last copy of the sink are destroyed.
  std::function<std::uint64_t()> lost() const;

  /// Reopens the file after it was renamed or removed, and writes further lines to it. On failure returns the reason
  /// and keeps the file that is open.
  std::optional<std::string> reopen();
  /// True if the log goes to a file that can be reopened, not to stdout.
  bool has_file() const { return options_.file != "-"; }

private:
  class output;

  access_log_options options_;
  std::shared_ptr<output> output_;
};

} // namespace troupe::deploy
