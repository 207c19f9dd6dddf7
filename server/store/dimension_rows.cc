#include "server/store/dimension_rows.h"

#include <map>
#include <span>
#include <string_view>

#include "core/spec_json.h"
#include "server/store/sql_values.h"

namespace schedlab::server {
namespace {

// Every statement below skips rows that are there already before it inserts, because ON CONFLICT
// locks them and would serialise all jobs of a project, and inserts in order of the key, so that
// two jobs that bring the same rows wait for each other in one direction.

constexpr const char* kStorePolicies = R"sql(
  INSERT INTO policies (digest, name, revision, variant, spec_json)
  SELECT DISTINCT ON (n.digest) n.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[],
    $5::text[]) AS n(digest, name, revision, variant, spec_json)
  WHERE NOT EXISTS (SELECT FROM policies p WHERE p.digest = n.digest)
  ORDER BY n.digest
  ON CONFLICT (digest) DO NOTHING
)sql";

constexpr const char* kStoreScenarios = R"sql(
  INSERT INTO scenarios (digest, topology, workload, spec_json)
  SELECT DISTINCT ON (n.digest) n.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    AS n(digest, topology, workload, spec_json)
  WHERE NOT EXISTS (SELECT FROM scenarios s WHERE s.digest = n.digest)
  ORDER BY n.digest
  ON CONFLICT (digest) DO NOTHING
)sql";

constexpr const char* kStoreRevisions = R"sql(
  INSERT INTO revisions (project, policy, revision, ordinal, aliases, subject, date)
  SELECT DISTINCT ON (n.policy, n.revision)
    $1, n.policy, n.revision, n.ordinal, n.aliases::text[], n.subject, n.date
  FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[])
    AS n(policy, revision, ordinal, aliases, subject, date)
  LEFT JOIN revisions r ON r.project = $1 AND r.policy = n.policy AND r.revision = n.revision
  WHERE r.id IS NULL OR (r.ordinal, r.aliases, r.subject, r.date)
    IS DISTINCT FROM (n.ordinal, n.aliases::text[], n.subject, n.date)
  ORDER BY n.policy, n.revision
  ON CONFLICT (project, policy, revision) DO UPDATE SET ordinal = excluded.ordinal,
    aliases = excluded.aliases, subject = excluded.subject, date = excluded.date
)sql";

constexpr const char* kStoreRevisionPolicies = R"sql(
  INSERT INTO revision_policies (revision_id, variant, policy_id)
  SELECT DISTINCT ON (n.revision_id, p.variant) n.revision_id, p.variant, p.id
  FROM unnest($1::integer[], $2::integer[]) AS n(revision_id, policy_id)
  JOIN policies p ON p.id = n.policy_id
  LEFT JOIN revision_policies w ON w.revision_id = n.revision_id AND w.variant = p.variant
  WHERE w.policy_id IS DISTINCT FROM p.id
  ORDER BY n.revision_id, p.variant, p.id
  ON CONFLICT (revision_id, variant) DO UPDATE SET policy_id = excluded.policy_id
)sql";

constexpr const char* kStoreMetrics = R"sql(
  INSERT INTO metrics (name, unit, direction, minimum_effect, meaning)
  SELECT DISTINCT ON (n.name) n.* FROM unnest($1::text[], $2::text[], $3::text[],
    $4::double precision[], $5::text[]) AS n(name, unit, direction, minimum_effect, meaning)
  LEFT JOIN metrics m ON m.name = n.name
  WHERE m.id IS NULL OR (m.unit, m.direction, m.minimum_effect, m.meaning)
    IS DISTINCT FROM (n.unit, n.direction, n.minimum_effect, n.meaning)
  ORDER BY n.name
  ON CONFLICT (name) DO UPDATE SET unit = excluded.unit, direction = excluded.direction,
    minimum_effect = excluded.minimum_effect, meaning = excluded.meaning
)sql";

// In the order of the digests; a digest that stands twice gets its id twice.
std::vector<std::int64_t> IdsByDigest(pqxx::work& transaction, const std::string& table,
                                      std::span<const std::string> digests) {
  std::map<std::string, std::int64_t> found;
  const pqxx::result rows =
      transaction.exec_params("SELECT digest, id FROM " + table + " WHERE digest = ANY($1::text[])",
                              ArrayOfStrings(digests).text());
  for (const pqxx::row& row : rows) found.emplace(row[0].c_str(), row[1].as<std::int64_t>());
  std::vector<std::int64_t> ids;
  for (const std::string& digest : digests) ids.push_back(found.at(digest));
  return ids;
}

std::vector<std::int64_t> StorePolicies(pqxx::work& transaction, const ExpandedJob& job) {
  std::vector<std::string> digests;
  SqlArray names;
  SqlArray revisions;
  SqlArray variants;
  SqlArray specs;
  for (const PolicySpec& policy : job.policies) {
    const std::string spec = ToJson(policy);
    digests.push_back(Sha256Hex(spec));
    names.Add(std::string_view(policy.name));
    revisions.Add(std::string_view(policy.revision));
    variants.Add(std::string_view(policy.variant));
    specs.Add(std::string_view(spec));
  }
  transaction.exec_params(kStorePolicies, ArrayOfStrings(digests).text(), names.text(),
                          revisions.text(), variants.text(), specs.text());
  return IdsByDigest(transaction, "policies", digests);
}

std::vector<std::int64_t> StoreScenarios(pqxx::work& transaction, const ExpandedJob& job) {
  SqlArray topologies;
  SqlArray workloads;
  SqlArray specs;
  for (const Scenario& scenario : job.scenarios) {
    topologies.Add(std::string_view(scenario.topology.name));
    workloads.Add(std::string_view(scenario.workload.name));
    specs.Add(std::string_view(ToJson(scenario)));
  }
  transaction.exec_params(kStoreScenarios, ArrayOfStrings(job.scenario_digests).text(),
                          topologies.text(), workloads.text(), specs.text());
  return IdsByDigest(transaction, "scenarios", job.scenario_digests);
}

// Revisions as parameters of kStoreRevisions.
struct RevisionColumns {
  void Add(const std::string& policy, const Revision& revision) {
    policies.Add(std::string_view(policy));
    revisions.Add(std::string_view(revision.id));
    ordinals.Add(revision.ordinal);
    aliases.Add(std::string_view(ArrayOfStrings(revision.aliases).text()));
    subjects.Add(std::string_view(revision.subject));
    dates.Add(std::string_view(revision.date));
  }

  void Store(pqxx::work& transaction, const std::string& project) {
    transaction.exec_params(kStoreRevisions, project, policies.text(), revisions.text(),
                            ordinals.text(), aliases.text(), subjects.text(), dates.text());
  }

  SqlArray policies;
  SqlArray revisions;
  SqlArray ordinals;
  SqlArray aliases;
  SqlArray subjects;
  SqlArray dates;
};

// Those that the job runs, and the commits between and around them.
std::vector<std::int64_t> StoreRevisions(pqxx::work& transaction, const std::string& project,
                                         const ExpandedJob& job) {
  RevisionColumns run;
  for (std::size_t i = 0; i < job.revisions.size(); ++i) {
    run.Add(job.policies[i].name, job.revisions[i]);
  }
  RevisionColumns all = run;
  for (const PolicyHistory& history : job.histories) {
    for (const Revision& revision : history.revisions) all.Add(history.policy, revision);
  }
  all.Store(transaction, project);
  const pqxx::result rows = transaction.exec_params(
      "SELECT r.id FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS n(policy, revision, "
      "ordinality) JOIN revisions r ON r.project = $1 AND r.policy = n.policy AND "
      "r.revision = n.revision ORDER BY n.ordinality",
      project, run.policies.text(), run.revisions.text());
  std::vector<std::int64_t> ids;
  for (const pqxx::row& row : rows) ids.push_back(row[0].as<std::int64_t>());
  return ids;
}

void StoreRevisionPolicies(pqxx::work& transaction, const DimensionIds& ids) {
  SqlArray revisions;
  SqlArray policies;
  for (const std::int64_t id : ids.revisions) revisions.Add(id);
  for (const std::int64_t id : ids.policies) policies.Add(id);
  transaction.exec_params(kStoreRevisionPolicies, revisions.text(), policies.text());
}

void StoreMetrics(pqxx::work& transaction, const ExpandedJob& job) {
  SqlArray names;
  SqlArray units;
  SqlArray directions;
  SqlArray minimum_effects;
  SqlArray meanings;
  for (const MetricSpec& metric : job.metrics) {
    names.Add(std::string_view(metric.name));
    units.Add(std::string_view(metric.unit));
    directions.Add(ToString(metric.direction));
    minimum_effects.Add(metric.minimum_effect);
    meanings.Add(std::string_view(metric.meaning));
  }
  transaction.exec_params(kStoreMetrics, names.text(), units.text(), directions.text(),
                          minimum_effects.text(), meanings.text());
}

}  // namespace

DimensionIds StoreDimensions(pqxx::work& transaction, const std::string& project,
                             const ExpandedJob& job) {
  DimensionIds ids;
  ids.policies = StorePolicies(transaction, job);
  ids.scenarios = StoreScenarios(transaction, job);
  ids.revisions = StoreRevisions(transaction, project, job);
  StoreRevisionPolicies(transaction, ids);
  StoreMetrics(transaction, job);
  return ids;
}

}  // namespace schedlab::server
