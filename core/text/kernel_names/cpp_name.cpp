// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/text/kernel_names/kernel_names.h"

namespace rooflinectl::kernel_names {

namespace {

// FlashAttention's and CUTLASS's names reach 20 levels.
constexpr int kDeepest = 40;

constexpr std::string_view kOpening = "(<[{";
constexpr std::string_view kClosing = ")>]}";
constexpr std::string_view kOperator = "operator";
constexpr std::string_view kEndsIdentifier = " :<>(){}[],*&'=";

/// The length of the operator's symbol at the beginning of `text`, which is what follows `operator`; 0 for
/// conversions.
std::size_t symbol_length(std::string_view text) {
  constexpr auto kSymbols =
      std::to_array<std::string_view>({"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->",
                                       "<",  ">",  ",",   "&&=", "&&",  "||",  "==", "!=", "++", "--"});
  for (const std::string_view symbol : kSymbols) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return text.find_first_of("+-*/%^&|~!=") == 0 ? 1 : 0;
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "noexcept";
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), closing_(text.size(), 0) { match_brackets(); }

  CppName parse(std::size_t begin, std::size_t end, int depth) const {
    while (begin < end && text_[begin] == ' ') ++begin;
    while (begin < end && text_[end - 1] == ' ') --end;
    CppName name;
    name.text = text_.substr(begin, end - begin);
    if (depth > kDeepest) return name;
    // The address of a function: `&(float curand_uniform<int>(int))`.
    if (name.text.starts_with("&(") && closing_[begin + 1] == end - 1) {
      begin += 2;
      --end;
    }
    bool is_new_part = true;
    for (std::size_t at = begin; at < end;) {
      const char c = text_[at];
      const std::size_t close = closing_[at];
      if (c == ' ') {
        ++at;
        if (begins_qualifier(at, end)) continue;
        // What stood before was a type, unless it is the function and this its `[clone .kd]`.
        if (!name.parts.empty() && name.parts.back().is_call) break;
        if ((text_[at] != '(' && text_[at] != '<') || begins_anonymous(at)) {
          name.parts.clear();
          is_new_part = true;
        }
      } else if (c == ':') {
        is_new_part = true;
        ++at;
      } else if (close != 0 && close < end) {
        read_group(at, close, depth, is_new_part, name.parts);
        at = close + 1;
      } else if (const std::size_t length = identifier_length(at, end); length != 0) {
        const std::string_view word = text_.substr(at, length);
        at += length;
        // A qualifier behind a parameter list: `operator()() const::{lambda()#1}`.
        if (!is_new_part && is_qualifier(word)) continue;
        NamePart part;
        part.text = word;
        part.is_lambda = word.starts_with("'lambda");
        name.parts.push_back(std::move(part));
        is_new_part = false;
      } else {
        ++at;
      }
    }
    return name;
  }

 private:
  std::string_view text_;
  /// For each opening bracket, where it is closed; 0 if it is not.
  std::vector<std::size_t> closing_;

  bool is_operator(std::size_t at) const {
    return text_.substr(at).starts_with(kOperator) &&
           (at == 0 || kEndsIdentifier.find(text_[at - 1]) != std::string_view::npos);
  }

  /// `operator` with its symbol, which nsys and ncu set apart.
  std::size_t operator_length(std::size_t at) const {
    std::size_t length = kOperator.size();
    while (at + length < text_.size() && text_[at + length] == ' ') ++length;
    const std::size_t symbol = symbol_length(text_.substr(at + length));
    return symbol == 0 ? kOperator.size() : length + symbol;
  }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == 'o' && is_operator(at)) {
        at += operator_length(at) - 1;
      } else if (kOpening.find(c) != std::string_view::npos) {
        open.push_back(at);
      } else if (const std::size_t kind = kClosing.find(c); kind != std::string_view::npos) {
        if (c == '>') {
          if (at > 0 && text_[at - 1] == '-') continue;
        } else {
          // A `<` that nothing closed was a comparison.
          while (!open.empty() && text_[open.back()] == '<') open.pop_back();
        }
        if (!open.empty() && text_[open.back()] == kOpening[kind]) {
          closing_[open.back()] = at;
          open.pop_back();
        }
      }
    }
  }

  bool begins_anonymous(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    return rest.starts_with("(anonymous namespace)") || rest.starts_with("<unnamed>");
  }

  bool begins_qualifier(std::size_t at, std::size_t end) const {
    const std::string_view rest = text_.substr(at, end - at);
    const std::string_view word = rest.substr(0, rest.find_first_of(kEndsIdentifier));
    return is_qualifier(word) || (word.empty() && (rest[0] == '*' || rest[0] == '&' || rest[0] == ' '));
  }

  std::size_t identifier_length(std::size_t at, std::size_t end) const {
    if (is_operator(at)) return std::min(operator_length(at), end - at);
    const std::string_view rest = text_.substr(at, end - at);
    if (rest[0] == '\'') {
      const std::size_t quote = rest.find('\'', 1);
      return quote == std::string_view::npos ? 0 : quote + 1;
    }
    return std::min(rest.find_first_of(kEndsIdentifier), rest.size());
  }

  std::vector<CppName> parse_list(std::size_t begin, std::size_t end, int depth) const {
    std::vector<CppName> names;
    if (begin == end) return names;
    std::size_t first = begin;
    for (std::size_t at = begin; at < end; ++at) {
      if (closing_[at] != 0 && closing_[at] < end) {
        at = closing_[at];
      } else if (text_[at] == ',') {
        names.push_back(parse(first, at, depth));
        first = at + 1;
      }
    }
    names.push_back(parse(first, end, depth));
    return names;
  }

  void read_group(std::size_t open, std::size_t close, int depth, bool& is_new_part,
                  std::vector<NamePart>& parts) const {
    const std::string_view group = text_.substr(open, close + 1 - open);
    NamePart part;
    part.text = group;
    part.is_anonymous = begins_anonymous(open);
    part.is_lambda = group.starts_with("{lambda") || group.starts_with("[lambda");
    if (part.is_anonymous || part.is_lambda || (group[0] == '{' && is_new_part)) {
      const std::size_t inner = text_.find('(', open + 1);
      if (part.is_lambda && inner < close && closing_[inner] != 0) {
        part.parameters = parse_list(inner + 1, closing_[inner], depth + 1);
      }
      parts.push_back(std::move(part));
      is_new_part = false;
    } else if (!parts.empty() && !is_new_part) {
      if (group[0] == '<') {
        parts.back().template_arguments = parse_list(open + 1, close, depth + 1);
      } else if (group[0] == '(') {
        parts.back().is_call = true;
        if (parts.back().is_lambda) parts.back().parameters = parse_list(open + 1, close, depth + 1);
      }
    }
  }
};

}  // namespace

CppName parse_cpp_name(std::string_view text) {
  return Parser(text).parse(0, text.size(), 0);
}

}  // namespace rooflinectl::kernel_names
