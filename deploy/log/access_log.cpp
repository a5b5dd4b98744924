#include "deploy/log/access_log.hpp"

#include "deploy/log/line_writer.hpp"
#include "deploy/log/log_line.hpp"
#include "deploy/log/write_out.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Mode of the file: not readable by everybody, because it has the addresses and names of callers.
constexpr mode_t access_log_mode = 0640;
/// Pause between two writes: requests answered meanwhile share one, and need not wake its thread.
constexpr std::chrono::milliseconds access_log_pause{50};

/// True if the file ends within a line, as after a full disk.
bool ends_within_line(const std::string& path, int opened) {
  struct stat file {};
  if (::fstat(opened, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
    return false;
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  char last = '\n';
  const auto is_read = reader >= 0 && ::pread(reader, &last, 1, file.st_size - 1) == 1;
  if (reader >= 0)
    ::close(reader);
  return is_read && last != '\n';
}

/// Returns -1 and sets `errno` on failure. Does not wait for a reader of a named pipe.
int open_to_append(const std::string& path) {
  const int result =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, access_log_mode);
  if (result >= 0 && ends_within_line(path, result))
    write_out(result, "\n");
  return result;
}

std::string why_not_opened(const std::string& path) {
  return "the access log " + escaped(path) + " cannot be opened: " + std::strerror(errno);
}

/// Formatter of packed records.
line_writer::formatter access_formatter(log_format format) {
  return [append = format == log_format::json ? append_access_json : append_access_text](
             std::string& to, std::string_view packed) { append(to, unpacked(packed)); };
}

} // namespace

/// Descriptor and its writer. The descriptor's number stays the same when the file is reopened.
class access_log::output {
public:
  output(int descriptor, log_format format)
      : descriptor_(descriptor), writer_(std::in_place, descriptor, access_log_pause, access_formatter(format)) {}
  ~output() {
    writer_.reset(); // writes the remaining lines
    if (descriptor_ != STDOUT_FILENO)
      ::close(descriptor_);
  }
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void write(const access_record& record) {
    writer_->add(largest_packed, [&](char* to) { return pack(to, record); });
  }
  std::uint64_t lost() const { return writer_->lost(); }
  /// Redirects the log to `other`, and takes ownership of it.
  void replace(int other) {
    ::dup3(other, descriptor_, O_CLOEXEC);
    ::close(other);
  }

private:
  int descriptor_;
  std::optional<line_writer> writer_;
};

access_log::access_log(access_log_options options) : options_(std::move(options)) {
  const int descriptor = has_file() ? open_to_append(options_.file) : STDOUT_FILENO;
  if (descriptor < 0)
    throw std::runtime_error(why_not_opened(options_.file));
  output_ = std::make_shared<output>(descriptor, options_.format);
}

access_sink access_log::sink() const {
  return [to = output_](const access_record& record) { to->write(record); };
}

std::function<std::uint64_t()> access_log::lost() const {
  return [weak = std::weak_ptr{output_}]() -> std::uint64_t {
    const auto alive = weak.lock();
    return alive ? alive->lost() : 0;
  };
}

std::optional<std::string> access_log::reopen() {
  if (!has_file())
    return std::nullopt;
  const int descriptor = open_to_append(options_.file);
  if (descriptor < 0)
    return why_not_opened(options_.file);
  output_->replace(descriptor);
  return std::nullopt;
}

} // namespace troupe::deploy
