#pragma once

#include "actors/troupe/access_record.hpp"
#include "deploy/log/log.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::deploy {

/// Where a line for each request goes, and how.
struct access_log_options {
  /// `-` is stdout; none when empty.
  std::string file;
  log_format format = log_format::json;

  friend bool operator==(const access_log_options&, const access_log_options&) = default;
};

/// The access log: a line for each request, appended to a file by a thread of its own, as `stderr_log` does. The last
/// lines are written when this and the last copy of its sink are gone.
class access_log {
public:
  /// Throws `std::runtime_error` with one line when the file cannot be opened.
  explicit access_log(access_log_options options);

  access_sink sink() const;
  /// How many lines were lost so far. Counts no more once the last copy of the sink and this are gone.
  std::function<std::uint64_t()> lost() const;

  /// Opens the file anew, after it was renamed or removed: lines go there from now on. Gives why it could not; they go
  /// where they went then.
  std::optional<std::string> reopen();
  /// Whether there is a file to open anew.
  bool has_file() const { return options_.file != "-"; }

private:
  class output;

  access_log_options options_;
  std::shared_ptr<output> output_;
};

} // namespace troupe::deploy
