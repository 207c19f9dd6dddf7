#include "ingest/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace schedlab::ingest {
namespace {

using Json = nlohmann::json;

// Turns the relaxed text into JSON with comments. Every line keeps its number.
class Relaxer {
 public:
  explicit Relaxer(std::string_view text) : text_(text) {}

  std::string Relax() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        CopyString();
      } else if (c == '/') {
        CopyComment();
      } else {
        Copy(c);
      }
    }
    return std::move(json_);
  }

 private:
  enum class Last { kOther, kComma, kName };

  void CopyString() {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    json_ += text_.substr(start, at_ - start);
    const bool may_be_name = !closers_.empty() && closers_.back() == '}' && !has_name_;
    last_ = may_be_name ? Last::kName : Last::kOther;
    after_last_ = json_.size();
  }

  void CopyComment() {
    const std::size_t start = at_;
    const bool is_block = text_.substr(at_, 2) == "/*";
    const std::size_t end = is_block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + (is_block ? 2 : 0);
    json_ += text_.substr(start, at_ - start);
  }

  void Copy(char c) {
    const bool ends_member = c == ',' || c == '}' || c == ']';
    if (ends_member && last_ == Last::kName) json_.insert(after_last_, ":null");
    if ((c == '}' || c == ']') && last_ == Last::kComma) json_[after_last_ - 1] = ' ';
    json_ += c;
    ++at_;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return;
    last_ = c == ',' ? Last::kComma : Last::kOther;
    after_last_ = json_.size();
    Nest(c);
  }

  void Nest(char c) {
    if (c == '{' || c == '[') closers_.push_back(c == '{' ? '}' : ']');
    if ((c == '}' || c == ']') && !closers_.empty()) closers_.pop_back();
    // Behind a colon a string is a value; behind a closed value comes no name without a comma.
    if (c == ':' || c == '}' || c == ']') has_name_ = true;
    if (c == ',' || c == '{' || c == '[') has_name_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string json_;
  std::string closers_;         // of what is open
  bool has_name_ = false;       // of the member at hand
  Last last_ = Last::kOther;    // what stands last, comments and space aside
  std::size_t after_last_ = 0;  // its end in `json_`
};

// Builds the tree from the events of the parser.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Add({}); }
  bool boolean(bool value) override {
    JsonTree tree{.kind = JsonTree::Kind::kBoolean};
    tree.boolean = value;
    return Add(std::move(tree));
  }
  bool number_integer(number_integer_t value) override {
    JsonTree tree{.kind = JsonTree::Kind::kInteger};
    tree.integer = value;
    return Add(std::move(tree));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX)) {
      return number_integer(static_cast<std::int64_t>(value));
    }
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    JsonTree tree{.kind = JsonTree::Kind::kNumber};
    tree.number = value;
    return Add(std::move(tree));
  }
  bool string(string_t& value) override {
    JsonTree tree{.kind = JsonTree::Kind::kString};
    tree.text = std::move(value);
    return Add(std::move(tree));
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return Open(JsonTree::Kind::kObject); }
  bool key(string_t& name) override {
    open_.back()->members.emplace_back(std::move(name), JsonTree{});
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(JsonTree::Kind::kArray); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    error_ = error.what();
    return false;
  }

  JsonTree& root() { return root_; }
  const std::string& error() const { return error_; }

 private:
  JsonTree* Place() {
    if (open_.empty()) return &root_;
    JsonTree& parent = *open_.back();
    if (parent.kind == JsonTree::Kind::kObject) return &parent.members.back().second;
    return &parent.items.emplace_back();
  }
  bool Add(JsonTree tree) {
    *Place() = std::move(tree);
    return true;
  }
  bool Open(JsonTree::Kind kind) {
    if (open_.size() == kMaxJsonDepth) {
      error_ = fmt::format("it nests deeper than {} levels", kMaxJsonDepth);
      return false;
    }
    JsonTree* const place = Place();
    place->kind = kind;
    open_.push_back(place);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonTree root_;
  // Addresses are stable: only the innermost open value grows.
  std::vector<JsonTree*> open_;
  std::string error_;
};

// "[json.exception.parse_error.101] parse error at line 2, column 3: syntax error ..." begins with
// what a user has no use for.
std::string WithoutPrefix(const std::string& what) {
  const std::size_t line = what.find("line ");
  return line == std::string::npos ? what : what.substr(line);
}

}  // namespace

Result<JsonTree> ParseJsonTree(std::string_view text) {
  const std::string json = Relaxer(text).Relax();
  TreeBuilder builder;
  constexpr bool kIsStrict = true;
  constexpr bool kIgnoresComments = true;
  if (Json::sax_parse(json, &builder, Json::input_format_t::json, kIsStrict, kIgnoresComments)) {
    return std::move(builder.root());
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("it is not JSON: {}", WithoutPrefix(builder.error())));
}

}  // namespace schedlab::ingest
