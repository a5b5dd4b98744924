#include "tests/bench/floor_child.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

void require(int error, const char* what) {
  if (error != 0)
    throw std::system_error(error, std::generic_category(), what);
}

} // namespace

piped start_piped(std::vector<std::string> command) {
  int in[2];
  int out[2];
  require(::pipe2(in, O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  require(::pipe2(out, O_CLOEXEC) == 0 ? 0 : errno, "pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (auto& word : command)
    words.push_back(word.data());
  words.push_back(nullptr);
  piped result{0, in[1], out[0]};
  const auto error = ::posix_spawnp(&result.pid, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  require(error, command.front().c_str());
  return result;
}

floor_child::floor_child(boost::asio::io_context& context, std::vector<std::string> command)
    : stdin_(context), stdout_(context) {
  const auto child = start_piped(std::move(command));
  pid_ = child.pid;
  stdin_.assign(child.to_stdin);
  stdout_.assign(child.from_stdout);
}

void floor_child::end() {
  boost::system::error_code ignored;
  stdin_.close(ignored);
  stdout_.close(ignored);
  waiting_.clear();
  ::waitpid(pid_, nullptr, 0);
}

void floor_child::ask(const std::string& line, answered then) {
  waiting_.push_back(std::move(then));
  tell(line);
}

void floor_child::tell(const std::string& line) {
  unwritten_ += line;
  unwritten_ += '\n';
  if (writing_.empty())
    do_write();
}

void floor_child::do_write() {
  writing_.swap(unwritten_);
  boost::asio::async_write(stdin_, boost::asio::buffer(writing_), [self = shared_from_this()](auto error, auto) {
    if (error)
      return;
    self->writing_.clear();
    if (!self->unwritten_.empty())
      self->do_write();
  });
}

void floor_child::do_read() {
  stdout_.async_read_some(boost::asio::buffer(buffer_), [self = shared_from_this()](auto error, auto size) {
    if (error)
      return;
    const auto searched = self->unread_.size();
    self->unread_.append(self->buffer_.data(), size);
    self->take_lines(searched);
    self->do_read();
  });
}

void floor_child::take_lines(std::size_t searched) {
  std::size_t begin = 0;
  for (auto end = unread_.find('\n', searched); end != unread_.npos && !waiting_.empty();
       end = unread_.find('\n', begin)) {
    auto then = std::move(waiting_.front());
    waiting_.pop_front();
    then(unread_.substr(begin, end - begin));
    begin = end + 1;
  }
  unread_.erase(0, begin);
}

} // namespace troupe::bench
