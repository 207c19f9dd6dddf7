#include "proto/rpc/fleet.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/specs.h"
#include "proto/rpc/time.h"

namespace schedlab::rpc {

v1::WorkerState Encode(WorkerState state) {
  switch (state) {
    case WorkerState::kActive:
      return v1::WORKER_STATE_ACTIVE;
    case WorkerState::kDraining:
      return v1::WORKER_STATE_DRAINING;
    case WorkerState::kLost:
      return v1::WORKER_STATE_LOST;
  }
  return v1::WORKER_STATE_UNSPECIFIED;
}

Result<WorkerState> Decode(v1::WorkerState wire) {
  switch (wire) {
    case v1::WORKER_STATE_ACTIVE:
      return WorkerState::kActive;
    case v1::WORKER_STATE_DRAINING:
      return WorkerState::kDraining;
    case v1::WORKER_STATE_LOST:
      return WorkerState::kLost;
    default:
      return RefuseEnum(wire);
  }
}

v1::Worker Encode(const Worker& worker) {
  v1::Worker wire;
  wire.set_name(worker.identity.name);
  wire.set_state(Encode(worker.state));
  for (const Executor executor : worker.identity.executors) wire.add_executors(Encode(executor));
  wire.set_engine_version(worker.identity.engine_version);
  wire.set_build_version(worker.identity.build_version);
  wire.set_slot_count(worker.identity.slot_count);
  wire.set_leased_count(worker.leased_count);
  *wire.mutable_last_seen_time() = Encode(worker.last_seen_at);
  return wire;
}

Result<Worker> Decode(const v1::Worker& wire) {
  const auto decode = [](int value) { return Decode(static_cast<v1::Executor>(value)); };
  FieldReader read("worker");
  Worker worker{
      .identity = {.name = read.Name("name", wire.name()),
                   .incarnation = {},
                   .build_version = read.OptionalName("build_version", wire.build_version()),
                   .executors = read.Enums("executors", wire.executors(), kMaxExecutors, decode),
                   .engine_version = read.OptionalName("engine_version", wire.engine_version()),
                   .slot_count =
                       read.Number32("slot_count", wire.slot_count(), 0, kMaxSlotsPerWorker),
                   .is_draining = wire.state() == v1::WORKER_STATE_DRAINING},
      .state = read.Value("state", Decode(wire.state())),
      .leased_count = read.Number32("leased_count", wire.leased_count(), 0, INT32_MAX),
      .last_seen_at = read.Value("last_seen_time", Decode(wire.last_seen_time()))};
  return read.Finish(std::move(worker));
}

}  // namespace schedlab::rpc
