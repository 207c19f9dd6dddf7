#include "proto/rpc/worker_sync.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/specs.h"
#include "proto/rpc/time.h"

namespace schedlab::rpc {
namespace {

v1::AttemptFailure Encode(const AttemptFailure& failure) {
  v1::AttemptFailure wire;
  wire.set_message(failure.message);
  wire.set_is_retryable(failure.is_retryable);
  return wire;
}

Result<AttemptFailure> Decode(const v1::AttemptFailure& wire) {
  FieldReader read;
  return read.Finish(AttemptFailure{.message = read.Text("message", wire.message()),
                                    .is_retryable = wire.is_retryable()});
}

v1::ReportReceipt Encode(const ReportReceipt& receipt) {
  v1::ReportReceipt wire;
  wire.set_run_id(receipt.run.value);
  wire.set_attempt(receipt.attempt);
  wire.set_disposition(rpc::Encode(receipt.disposition));
  return wire;
}

Result<ReportReceipt> Decode(const v1::ReportReceipt& wire) {
  FieldReader read;
  return read.Finish(
      ReportReceipt{.run = read.Key<RunId>("run_id", wire.run_id()),
                    .attempt = read.Number32("attempt", wire.attempt(), 1, INT32_MAX),
                    .disposition = read.Value("disposition", rpc::Decode(wire.disposition()))});
}

WorkerIdentity DecodeWorker(FieldReader& read, const v1::SynchronizeRequest& wire) {
  const auto decode = [](int value) { return rpc::Decode(static_cast<v1::Executor>(value)); };
  return {.name = read.Name("worker_name", wire.worker_name()),
          .incarnation = read.Name("incarnation", wire.incarnation()),
          .build_version = read.OptionalName("build_version", wire.build_version()),
          .executors = read.Enums("executors", wire.executors(), kMaxExecutors, decode),
          .engine_version = read.Name("engine_version", wire.engine_version()),
          .slot_count = read.Number32("slot_count", wire.slot_count(), 0, kMaxSlotsPerWorker),
          .is_draining = wire.is_draining()};
}

}  // namespace

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::AttemptRef Encode(const AttemptRef& attempt) {
  v1::AttemptRef wire;
  wire.set_run_id(attempt.run.value);
  wire.set_attempt(attempt.attempt);
  wire.set_lease_token(attempt.token);
  return wire;
}

Result<AttemptRef> Decode(const v1::AttemptRef& wire) {
  FieldReader read;
  return read.Finish(AttemptRef{.run = read.Key<RunId>("run_id", wire.run_id()),
                                .attempt = read.Number32("attempt", wire.attempt(), 1, INT32_MAX),
                                .token = read.Name("lease_token", wire.lease_token())});
}

v1::AttemptReport Encode(const AttemptReport& report) {
  v1::AttemptReport wire;
  *wire.mutable_attempt() = Encode(report.attempt);
  if (const auto* const result = std::get_if<RunResult>(&report.outcome)) {
    *wire.mutable_result() = Encode(*result);
  } else {
    *wire.mutable_failure() = Encode(std::get<AttemptFailure>(report.outcome));
  }
  return wire;
}

Result<AttemptReport> Decode(const v1::AttemptReport& wire) {
  FieldReader read;
  AttemptReport report{.attempt = read.Message("attempt", Decode(wire.attempt())), .outcome = {}};
  if (wire.has_result()) {
    report.outcome = read.Rooted(Decode(wire.result()));
  } else if (wire.has_failure()) {
    report.outcome = read.Message("failure", Decode(wire.failure()));
  } else {
    read.Refuse("outcome", "must be a result or a failure");
  }
  return read.Finish(std::move(report));
}

v1::ReportDisposition Encode(ReportDisposition disposition) {
  switch (disposition) {
    case ReportDisposition::kAccepted:
      return v1::REPORT_DISPOSITION_ACCEPTED;
    case ReportDisposition::kOrphaned:
      return v1::REPORT_DISPOSITION_ORPHANED;
  }
  return v1::REPORT_DISPOSITION_UNSPECIFIED;
}

Result<ReportDisposition> Decode(v1::ReportDisposition wire) {
  switch (wire) {
    case v1::REPORT_DISPOSITION_ACCEPTED:
      return ReportDisposition::kAccepted;
    case v1::REPORT_DISPOSITION_ORPHANED:
      return ReportDisposition::kOrphaned;
    default:
      return RefuseEnum(wire);
  }
}

v1::Lease Encode(const Lease& lease) {
  v1::Lease wire;
  *wire.mutable_attempt() = Encode(lease.attempt);
  *wire.mutable_spec() = Encode(lease.spec);
  return wire;
}

Result<Lease> Decode(const v1::Lease& wire) {
  FieldReader read;
  return read.Finish(Lease{.attempt = read.Message("attempt", Decode(wire.attempt())),
                           .spec = read.Rooted(Decode(wire.spec()))});
}

v1::SynchronizeRequest Encode(const SynchronizeRequest& request) {
  v1::SynchronizeRequest wire;
  wire.set_worker_name(request.worker.name);
  wire.set_incarnation(request.worker.incarnation);
  wire.set_build_version(request.worker.build_version);
  for (const Executor executor : request.worker.executors) wire.add_executors(Encode(executor));
  wire.set_engine_version(request.worker.engine_version);
  wire.set_slot_count(request.worker.slot_count);
  wire.set_is_draining(request.worker.is_draining);
  for (const AttemptRef& attempt : request.running) *wire.add_running() = Encode(attempt);
  for (const AttemptReport& report : request.finished) *wire.add_finished() = Encode(report);
  *wire.mutable_max_wait() = Encode(request.max_wait);
  return wire;
}

Result<SynchronizeRequest> Decode(const v1::SynchronizeRequest& wire) {
  FieldReader read;
  return read.Finish(SynchronizeRequest{
      .worker = DecodeWorker(read, wire),
      .running = read.Messages("running", wire.running(), kMaxSlotsPerWorker, kDecode),
      .finished = read.Messages("finished", wire.finished(), kMaxReportsPerCall, kDecode),
      .max_wait = read.Value("max_wait", Decode(wire.max_wait()))});
}

v1::SynchronizeResponse Encode(const SynchronizeResponse& response) {
  v1::SynchronizeResponse wire;
  for (const Lease& lease : response.leases) *wire.add_leases() = Encode(lease);
  for (const AttemptRef& attempt : response.stop) *wire.add_stop() = Encode(attempt);
  for (const ReportReceipt& receipt : response.receipts) *wire.add_receipts() = Encode(receipt);
  *wire.mutable_next_call_in() = Encode(response.next_call_in);
  return wire;
}

Result<SynchronizeResponse> Decode(const v1::SynchronizeResponse& wire) {
  FieldReader read;
  return read.Finish(SynchronizeResponse{
      .leases = read.Messages("leases", wire.leases(), kMaxLeasesPerCall, kDecode),
      .stop = read.Messages("stop", wire.stop(), kMaxSlotsPerWorker, kDecode),
      .receipts = read.Messages("receipts", wire.receipts(), kMaxReportsPerCall, kDecode),
      .next_call_in = read.Value("next_call_in", Decode(wire.next_call_in()))});
}

}  // namespace schedlab::rpc
