#include "kane/formats/autolev/prompt.hpp"

#include <algorithm>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"

namespace kane::autolev {

namespace {

constexpr std::size_t kMostUndone = 200;  ///< statements that can be taken back

std::string stripped(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n'))
    text.remove_suffix(1);
  return std::string(text);
}

/// "help FORCE": the first word in capitals, and what follows.
std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t cut = text.find_first_of(" \t");
  return {folded(text.substr(0, cut)), cut == std::string::npos ? "" : stripped(text.substr(cut))};
}

/// Kane's own expressions: any name is a symbol. A name alone is not worth showing.
std::optional<std::string> kane_expression(const std::string& text) {
  if (text.find_first_of("+-*/^(") == std::string::npos) return std::nullopt;
  try {
    Graph graph;
    return to_text(parse(graph, text), {.max_length = 2000});
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace

Prompt::Prompt(SessionOptions options) : session_(std::move(options)) {}

Answer Prompt::enter(const std::string& line) {
  ++line_;
  if (begun_.empty()) {
    const std::string text = stripped(line);
    if (text.empty()) return {};
    const auto [word, rest] = first_word(text);
    const bool assigned = rest.starts_with('=') || rest.starts_with(":=");
    if (!assigned) {
      if (word == "HELP" || word == "?") return help(rest);
      if (word == "UNDO" && rest.empty()) return undo();
      if (word == "LOG" && rest.empty()) return {.text = session_.log_text()};
      if ((word == "LIST" || word == "HISTORY") && rest.empty()) return {.text = script()};
      if (word == "SAVE") return save(rest);
      if ((word == "QUIT" || word == "EXIT" || word == "BYE") && rest.empty()) return {.text = "", .end = true};
    }
  }
  std::string text = begun_ + line;
  const std::string code = stripped(std::string_view(line).substr(0, line.find('%')));
  if (code.ends_with('&')) {
    begun_ = text + "\n";
    return {.text = "", .more = true};
  }
  begun_.clear();
  return run(text);
}

Answer Prompt::run(const std::string& text) {
  Entry entry{text, session_.world(), session_.log().size()};
  try {
    for (const Statement& statement : split_statements(text, "", {})) session_.execute(statement, "");
  } catch (const ModelError& error) {
    session_.restore(std::move(entry.before), entry.log_lines);
    if (const auto value = kane_expression(stripped(text))) return {.text = "   " + *value + "\n"};
    const Where& where = error.where();
    std::string place;
    if (where.line > 0 && where.column > 0) place = fmt::format("column {}: ", where.column);
    return {.text = fmt::format("error: {}{}\n", place, error.message()), .error = true};
  }
  Answer answer;
  // The typed line is on the screen already.
  const auto& log = session_.log();
  for (std::size_t i = entry.log_lines; i < log.size(); ++i)
    if (log[i].kind != LogLine::Kind::Input) {
      const std::string all = session_.log_text(i);
      const std::string rest = i + 1 < log.size() ? session_.log_text(i + 1) : "";
      answer.text += all.substr(0, all.size() - rest.size());
    }
  entries_.push_back(std::move(entry));
  if (entries_.size() > kMostUndone) entries_[entries_.size() - kMostUndone - 1].before = World{};
  const auto& files = session_.files();
  for (; taken_ < files.size(); ++taken_) files_.push_back(files[taken_]);
  return answer;
}

Answer Prompt::undo() {
  if (entries_.empty()) return {.text = "there is nothing to undo\n", .error = true};
  if (!entries_.back().before.frames)
    return {.text = fmt::format("only the last {} statements can be undone\n", kMostUndone), .error = true};
  Entry entry = std::move(entries_.back());
  entries_.pop_back();
  session_.restore(std::move(entry.before), entry.log_lines);
  return {.text = fmt::format("   undone: {}\n", stripped(entry.text))};
}

std::string Prompt::script() const {
  std::string text;
  for (const Entry& e : entries_) text += e.text + "\n";
  return text;
}

Answer Prompt::save(const std::string& name) {
  if (name.empty())
    return {.text = "save needs the name of a file: save script.al, or save script.all for the log\n", .error = true};
  const bool log = folded(name).ends_with(".ALL");
  files_.push_back({name, log ? session_.log_text() : script()});
  return {.text = fmt::format("   {} in {}\n", log ? "the log is" : "the statements are", name)};
}

Answer Prompt::help(std::string_view word) const {
  const std::string key = folded(stripped(word));
  if (key.empty()) {
    std::string text =
        "Type an AUTOLEV statement or an expression. Also: help WORD, undo, list (or history), log, save FILE.al, "
        "quit.\n";
    std::string line;
    for (const std::string& w : statement_words()) {
      if (line.size() + w.size() > 90) text += line + "\n", line.clear();
      line += (line.empty() ? "  " : " ") + w;
    }
    return {.text = text + line + "\n"};
  }
  static const std::map<std::string_view, std::string_view> own{
      {"UNDO", "undo                               takes the last statement back"},
      {"LIST", "list                               the statements so far"},
      {"HISTORY", "history                            the statements so far"},
      {"LOG", "log                                the log so far; LOG(X) is the natural logarithm"},
      {"HELP", "help, help WORD                    all words; how one of them is written"},
      {"SAVE", "save FILE.al, save FILE.all        the statements so far, or the log, in a file"},
  };
  if (const auto row = own.find(key); row != own.end()) return {.text = std::string(row->second) + "\n"};
  const std::string known = help_text(key);
  if (!known.empty()) return {.text = known + "\n"};
  return {.text = fmt::format("there is no statement '{}'{}\n", key, suggestion(key, statement_words())),
          .error = true};
}

std::vector<std::string> Prompt::complete(std::string_view begun) const {
  const std::string key = folded(begun);
  std::vector<std::string> words;
  const auto offer = [&](const std::string& w) {
    if (folded(w).starts_with(key)) words.push_back(w);
  };
  for (const std::string& w : statement_words()) offer(w);
  for (const auto& [name, s] : session_.world().scalars) offer(s.spelled());
  for (const auto& [name, w] : session_.world().spelling) offer(w);
  for (const std::string& p : session_.world().points) offer(p);
  for (const char* own : {"help", "undo", "list", "history", "log", "save", "quit"}) offer(own);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<WrittenFile> Prompt::take_files() {
  std::vector<WrittenFile> files = std::move(files_);
  files_.clear();
  return files;
}

}  // namespace kane::autolev
