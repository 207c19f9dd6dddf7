#include "server/store/revision_rows.h"

#include <fmt/format.h>

#include <cstdint>

namespace schedlab::server {
namespace {

// Shorter prefixes of revisions are taken for names.
constexpr std::int64_t kMinPrefixLength = 7;

// A name or a whole id counts more than a prefix: it is what was typed.
constexpr const char* kMatchRevision = R"sql(
  SELECT revision, min(ordinal), min(subject), min(date),
    bool_or(EXISTS (SELECT FROM points p WHERE p.revision_id = r.id)),
    revision = $3 OR bool_or($3 = ANY(aliases)) AS is_exact
  FROM revisions r
  WHERE project = $1 AND ($2 = '' OR policy = $2) AND revision <> ''
    AND (revision = $3 OR $3 = ANY(aliases)
      OR (length($3) >= $4 AND starts_with(revision, $3)))
  GROUP BY revision ORDER BY is_exact DESC, revision LIMIT 2
)sql";

constexpr const char* kRevisionBefore = R"sql(
  SELECT revision, ordinal, subject, date, true
  FROM revisions r
  WHERE project = $1 AND ($2 = '' OR policy = $2) AND revision <> '' AND ordinal < $3
    AND EXISTS (SELECT FROM points p WHERE p.revision_id = r.id)
  ORDER BY ordinal DESC LIMIT 1
)sql";

RevisionRef RevisionOf(const pqxx::row& row) {
  return {.id = row[0].c_str(),
          .ordinal = row[1].as<std::int64_t>(),
          .subject = row[2].c_str(),
          .date = row[3].c_str()};
}

Result<StoredRevision> MatchName(pqxx::work& transaction, const std::string& project,
                                 const std::string& policy, const std::string& name) {
  const pqxx::result rows =
      transaction.exec_params(kMatchRevision, project, policy, name, kMinPrefixLength);
  if (rows.empty()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("project '{}' has no stored revision '{}'", project, name));
  }
  if (rows.size() > 1 && rows[0][5].as<bool>() == rows[1][5].as<bool>()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("revision '{}' is ambiguous: it may be {} or {}", name,
                            rows[0][0].c_str(), rows[1][0].c_str()));
  }
  return StoredRevision{RevisionOf(rows[0]), rows[0][4].as<bool>()};
}

Result<StoredRevision> RevisionBefore(pqxx::work& transaction, const std::string& project,
                                      const std::string& policy, const RevisionRef& revision) {
  const pqxx::result rows =
      transaction.exec_params(kRevisionBefore, project, policy, revision.ordinal);
  if (rows.empty()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("no revision before {} has results", revision.id));
  }
  return StoredRevision{RevisionOf(rows[0]), true};
}

}  // namespace

Result<StoredRevision> MatchRevision(pqxx::work& transaction, const std::string& project,
                                     const std::string& policy, const std::string& reference) {
  const std::size_t end = reference.find_last_not_of('~');
  const std::string name = reference.substr(0, end == std::string::npos ? 0 : end + 1);
  const std::size_t steps = reference.size() - name.size();
  Result<StoredRevision> found = MatchName(transaction, project, policy, name);
  for (std::size_t step = 0; step < steps && found; ++step) {
    found = RevisionBefore(transaction, project, policy, found->revision);
  }
  return found;
}

}  // namespace schedlab::server
