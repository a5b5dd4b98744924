#include "deploy/config/config_problem.hpp"

#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <utility>

namespace troupe::deploy {

std::string problem_line(std::string_view file, const config_problem& problem) {
  auto result = escaped(file) + ':';
  if (problem.line != 0)
    result += std::to_string(problem.line) + ':';
  result += problem.severity == severity::error ? " error: " : " warning: ";
  if (!problem.key.empty())
    result += escaped(problem.key) + ": ";
  return result + escaped(problem.text);
}

bool has_error(const std::vector<config_problem>& problems) {
  return std::ranges::any_of(problems, [](auto& one) { return one.severity == severity::error; });
}

void config_report::add(deploy::severity severity, std::string_view part, std::string_view key, std::string text) {
  if (problems_.size() > most_problems)
    return;
  const auto line = part.data() ? lines_.line_of(static_cast<std::size_t>(part.data() - text_.data())) : 0;
  if (problems_.size() == most_problems)
    problems_.push_back({severity::error, line, {}, "too many problems, further ones are not shown"});
  else
    problems_.push_back({severity, line, std::string(key), std::move(text)});
}

} // namespace troupe::deploy
