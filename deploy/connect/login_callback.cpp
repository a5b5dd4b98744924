#include "deploy/connect/login_callback.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto loopback = "127.0.0.1";
constexpr std::string_view callback_path = "/callback";

std::vector<std::unique_ptr<net::io_thread>> one_thread() {
  std::vector<std::unique_ptr<net::io_thread>> result;
  result.push_back(std::make_unique<net::io_thread>());
  return result;
}

protocol::http_response browser_page(int status, const std::string& text) {
  return {.status = status,
          .fields = {{"Cache-Control", "no-store"}, {"Content-Security-Policy", "default-src 'none'"}},
          .body = "<!doctype html><meta charset=utf-8><title>Troupe</title><p>" + text + "\n",
          .type = "text/html; charset=utf-8"};
}

protocol::http_response nothing_said() { return browser_page(400, "Nothing is known of that."); }

} // namespace

login_callback::login_callback(std::uint16_t port, on_return tell)
    : tell_(std::move(tell)), threads_(one_thread()), listener_(threads_, {loopback, port}) {
  listener_.accept(
      {}, [this](std::size_t) { return [this](std::unique_ptr<net::exchange> one) { handle(std::move(one)); }; });
}

/// Ends the exchanges before their thread; exchanges that begin later are answered at once.
login_callback::~login_callback() {
  threads_.front()->post([this] {
    is_closing_ = true;
    waiting_.clear();
  });
}

std::string login_callback::url() const {
  return std::string("http://") + loopback + ":" + std::to_string(listener_.port()) + std::string(callback_path);
}

void login_callback::handle(std::unique_ptr<net::exchange> one) {
  const auto& request = one->request();
  const auto target = request.target;
  const auto query = std::min(target.find('?'), target.size());
  if (request.method != "GET" || target.substr(0, query) != callback_path || query == target.size())
    return one->respond(browser_page(404, "There is nothing here."));
  if (is_closing_)
    return one->respond(nothing_said());
  one->on_abandoned(nothing_said);
  waiting_.emplace(++last_, std::move(one));
  tell_(std::string(target.substr(query + 1)), last_);
}

void login_callback::answer(visit from, bool was_ours) {
  threads_.front()->post([this, from, was_ours] {
    if (const auto found = waiting_.extract(from); !found.empty())
      found.mapped()->respond(was_ours ? browser_page(200, "Done: this page may be closed.") : nothing_said());
  });
}

bool open_browser(const std::string& url) {
  const auto* const named = std::getenv("BROWSER");
  const std::string program = named && *named ? named : "xdg-open";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0); // our stdout has MCP messages
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::array<char*, 3> words{const_cast<char*>(program.c_str()), const_cast<char*>(url.c_str()), nullptr};
  pid_t child = 0;
  const auto is_started = ::posix_spawnp(&child, program.c_str(), &files, &attributes, words.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (is_started)
    std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
  return is_started;
}

} // namespace troupe::deploy
