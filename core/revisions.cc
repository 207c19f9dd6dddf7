// How users name revisions of a policy: ids and their prefixes, aliases, parents, ranges.
#include <fmt/format.h>

#include <algorithm>

#include "core/catalog.h"
#include "core/expansion.h"

namespace schedlab {
namespace {

constexpr std::size_t kMinPrefixLength = 7;
constexpr std::size_t kShortIdLength = 12;

std::vector<std::string> ReferencesOf(const PolicyDefinition& policy) {
  std::vector<std::string> references;
  for (const Revision& revision : policy.revisions) {
    references.insert(references.end(), revision.aliases.begin(), revision.aliases.end());
  }
  for (const Revision& revision : policy.revisions) {
    references.push_back(revision.id.substr(0, kShortIdLength));
  }
  return references;
}

bool IsAlias(const Revision& revision, std::string_view reference) {
  return std::find(revision.aliases.begin(), revision.aliases.end(), reference) !=
         revision.aliases.end();
}

// Ids in the catalog may be shorter than the reference: a confirmed prefix of a longer id.
bool HasPrefix(const Revision& revision, std::string_view reference) {
  if (reference.size() < kMinPrefixLength) return false;
  const std::size_t length = std::min(reference.size(), revision.id.size());
  return revision.id.compare(0, length, reference.substr(0, length)) == 0;
}

Result<const Revision*> FindNamed(const PolicyDefinition& policy, std::string_view reference) {
  const Revision* found = nullptr;
  for (const Revision& revision : policy.revisions) {
    if (IsAlias(revision, reference)) return &revision;
    if (!HasPrefix(revision, reference)) continue;
    if (found != nullptr) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("revision '{}' of policy '{}' is ambiguous: {} and {}", reference,
                              policy.name, found->id, revision.id));
    }
    found = &revision;
  }
  if (found != nullptr) return found;
  return Fail(ErrorCode::kNotFound,
              fmt::format("policy '{}' has no revision '{}'{}", policy.name, reference,
                          DidYouMean(reference, ReferencesOf(policy))));
}

}  // namespace

Result<const Revision*> FindRevision(const PolicyDefinition& policy, std::string_view reference) {
  const std::size_t end = reference.find_last_not_of('~');
  const std::string_view name = reference.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const auto generations = static_cast<std::int64_t>(reference.size() - name.size());
  Result<const Revision*> found = FindNamed(policy, name);
  if (!found || generations == 0) return found;
  const std::int64_t ordinal = (*found)->ordinal - generations;
  if (ordinal < 0) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("the history of policy '{}' begins with {}: "
                            "there is no revision '{}'",
                            policy.name, policy.revisions.front().id, reference));
  }
  return &policy.revisions[static_cast<std::size_t>(ordinal)];
}

RevisionRef RefOf(const Revision& revision) {
  return {.id = revision.id,
          .ordinal = revision.ordinal,
          .subject = revision.subject,
          .date = revision.date};
}

Result<std::vector<const Revision*>> ResolveRevisions(const PolicyDefinition& policy,
                                                      std::string_view expression) {
  if (expression.empty()) {
    if (policy.revisions.empty()) return std::vector<const Revision*>{};
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("policy '{}' has a history: say which revisions, e.g. '{}..{}'",
                            policy.name, policy.revisions.front().id.substr(0, kShortIdLength),
                            policy.revisions.back().id.substr(0, kShortIdLength)));
  }
  const std::size_t dots = expression.find("..");
  const Result<const Revision*> first = FindRevision(policy, expression.substr(0, dots));
  if (!first) return Fail(first.error());
  if (dots == std::string_view::npos) return std::vector<const Revision*>{*first};
  const Result<const Revision*> last = FindRevision(policy, expression.substr(dots + 2));
  if (!last) return Fail(last.error());
  if ((*last)->ordinal < (*first)->ordinal) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("revisions '{}' of policy '{}' run backwards", expression, policy.name));
  }
  std::vector<const Revision*> revisions;
  for (std::int64_t i = (*first)->ordinal; i <= (*last)->ordinal; ++i) {
    revisions.push_back(&policy.revisions[static_cast<std::size_t>(i)]);
  }
  return revisions;
}

}  // namespace schedlab
