#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::bench {

/// The pipes of a child process: each line written is answered by one line, in order. Use it on the thread of the
/// context only.
class floor_child : public std::enable_shared_from_this<floor_child> {
public:
  using answered = std::function<void(std::string line)>;

  /// Throws when the command cannot be run.
  floor_child(boost::asio::io_context& context, std::vector<std::string> command);
  floor_child(const floor_child&) = delete;
  floor_child& operator=(const floor_child&) = delete;

  /// Starts to read. Call it once a shared pointer owns the object.
  void begin() { do_read(); }
  /// Closes the child's stdin and waits for its end.
  void end();

  void ask(const std::string& line, answered then);
  /// Writes a line that has no answer.
  void tell(const std::string& line);

private:
  void do_write();
  void do_read();
  void take_lines(std::size_t searched);

  boost::asio::posix::stream_descriptor stdin_;
  boost::asio::posix::stream_descriptor stdout_;
  pid_t pid_ = 0;
  std::deque<answered> waiting_;
  std::string unwritten_; // collects lines during a write
  std::string writing_;
  std::string unread_;
  std::vector<char> buffer_ = std::vector<char>(64 * 1024);
};

/// A process with pipes to its stdin and from its stdout.
struct piped {
  pid_t pid = 0;
  int to_stdin = -1;
  int from_stdout = -1;
};

/// Throws `std::system_error`.
piped start_piped(std::vector<std::string> command);

} // namespace troupe::bench
