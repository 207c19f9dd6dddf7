#include "proto/rpc/catalog.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/results.h"

namespace schedlab::rpc {
namespace {

v1::WorkloadParameter Encode(const WorkloadParameter& parameter) {
  v1::WorkloadParameter wire;
  wire.set_name(parameter.name);
  wire.set_default_value(parameter.default_value);
  wire.set_minimum(parameter.minimum);
  wire.set_maximum(parameter.maximum);
  wire.set_meaning(parameter.meaning);
  return wire;
}

Result<WorkloadParameter> Decode(const v1::WorkloadParameter& wire) {
  FieldReader read;
  return read.Finish(WorkloadParameter{.name = read.Name("name", wire.name()),
                                       .default_value = wire.default_value(),
                                       .minimum = wire.minimum(),
                                       .maximum = wire.maximum(),
                                       .meaning = read.Text("meaning", wire.meaning())});
}

v1::SwitchDefinition Encode(const SwitchDefinition& definition) {
  v1::SwitchDefinition wire;
  wire.set_name(definition.name);
  wire.mutable_values()->Add(definition.values.begin(), definition.values.end());
  wire.set_default_value(definition.default_value);
  wire.set_meaning(definition.meaning);
  return wire;
}

Result<SwitchDefinition> Decode(const v1::SwitchDefinition& wire) {
  FieldReader read;
  return read.Finish(
      SwitchDefinition{.name = read.Name("name", wire.name()),
                       .values = read.Names("values", wire.values(), kMaxSettings),
                       .default_value = read.OptionalName("default_value", wire.default_value()),
                       .meaning = read.Text("meaning", wire.meaning())});
}

v1::Revision Encode(const Revision& revision) {
  v1::Revision wire;
  wire.set_id(revision.id);
  wire.mutable_aliases()->Add(revision.aliases.begin(), revision.aliases.end());
  wire.set_ordinal(revision.ordinal);
  wire.set_date(revision.date);
  wire.set_subject(revision.subject);
  wire.mutable_changes()->insert(revision.changes.begin(), revision.changes.end());
  wire.set_note(revision.note);
  return wire;
}

Result<Revision> Decode(const v1::Revision& wire) {
  FieldReader read;
  return read.Finish(Revision{.id = read.Name("id", wire.id()),
                              .aliases = read.Names("aliases", wire.aliases(), kMaxSettings),
                              .ordinal = read.Count("ordinal", wire.ordinal()),
                              .date = read.OptionalName("date", wire.date()),
                              .subject = read.Text("subject", wire.subject()),
                              .author = {},
                              .evidence = {},
                              .note = read.Text("note", wire.note()),
                              .changes = read.Strings("changes", wire.changes())});
}

}  // namespace

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::WorkloadDefinition Encode(const WorkloadDefinition& workload) {
  v1::WorkloadDefinition wire;
  wire.set_name(workload.name);
  wire.set_description(workload.description);
  wire.set_duration_ns(workload.duration_ns);
  wire.mutable_headline()->Add(workload.headline.begin(), workload.headline.end());
  for (const WorkloadParameter& parameter : workload.parameters) {
    *wire.add_parameters() = Encode(parameter);
  }
  wire.set_document_format(workload.document_format);
  return wire;
}

Result<WorkloadDefinition> Decode(const v1::WorkloadDefinition& wire) {
  FieldReader read("workload");
  return read.Finish(WorkloadDefinition{
      .name = read.Name("name", wire.name()),
      .description = read.Text("description", wire.description()),
      .duration_ns = read.Number("duration_ns", wire.duration_ns(), 0, kMaxSimulatedNs),
      .headline = read.Names("headline", wire.headline(), kMaxMetricsPerRun),
      .parameters = read.Messages("parameters", wire.parameters(), kMaxSettings, kDecode),
      .document_format = read.OptionalName("document_format", wire.document_format())});
}

v1::PolicyDefinition Encode(const PolicyDefinition& policy) {
  v1::PolicyDefinition wire;
  wire.set_name(policy.name);
  wire.set_project(policy.project);
  wire.set_description(policy.description);
  for (const SwitchDefinition& definition : policy.switches) {
    *wire.add_switches() = Encode(definition);
  }
  for (const Revision& revision : policy.revisions) *wire.add_revisions() = Encode(revision);
  wire.set_implementation(policy.implementation);
  return wire;
}

Result<PolicyDefinition> Decode(const v1::PolicyDefinition& wire) {
  FieldReader read("policy");
  return read.Finish(PolicyDefinition{
      .name = read.Name("name", wire.name()),
      .implementation = read.OptionalName("implementation", wire.implementation()),
      .project = read.OptionalName("project", wire.project()),
      .description = read.Text("description", wire.description()),
      .switches = read.Messages("switches", wire.switches(), kMaxSettings, kDecode),
      .revisions = read.Messages("revisions", wire.revisions(), kMaxRunsPerJob, kDecode)});
}

v1::Metric Encode(const MetricSpec& metric) {
  v1::Metric wire;
  wire.set_name(metric.name);
  wire.set_unit(metric.unit);
  wire.set_direction(Encode(metric.direction));
  wire.set_is_headline(metric.role == MetricRole::kHeadline);
  wire.set_meaning(metric.meaning);
  wire.set_minimum_effect(metric.minimum_effect);
  return wire;
}

Result<MetricSpec> Decode(const v1::Metric& wire) {
  FieldReader read("metric");
  return read.Finish(
      MetricSpec{.name = read.Name("name", wire.name()),
                 .unit = read.OptionalName("unit", wire.unit()),
                 .direction = read.Value("direction", Decode(wire.direction())),
                 .role = wire.is_headline() ? MetricRole::kHeadline : MetricRole::kCounter,
                 .meaning = read.Text("meaning", wire.meaning()),
                 .minimum_effect = read.Finite("minimum_effect", wire.minimum_effect())});
}

}  // namespace schedlab::rpc
