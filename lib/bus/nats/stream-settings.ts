import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { StreamPlan } from '../driver/index.ts';
import { namesOf, streamOf } from '../names/index.ts';

/** Group of which one client at a time is pinned: it alone gets messages. */
export const PIN_GROUP = 'one';
/** The pinned client asks for messages again after this time at the latest. */
export const PULL_MS = 2_000;
/** Most messages of a durable consumer that are delivered and not acknowledged. */
const MOST_IN_HAND = 1_000;
/** Time without a request of the pinned client after which another one is pinned. */
const PIN_MS = 6_000;
/** The server reserves it, and refuses to make a stream that it has no room for. */
const MOST_BYTES = 256 * 1024 ** 2;
const DAY_MS = 24 * 60 * 60_000;
/** A durable consumer of an earlier release is removed by the server when nobody has asked it for messages for so long. */
const RETIRE_MS = DAY_MS;

const nanos = (ms: number): number => ms * 1_000_000;

/**
 * The stream of a publishing service. A message is kept until all durable consumers of its subject have acknowledged it, for three days at most: one whose service
 * does not run must not fill the disk.
 */
export function streamSettings(plan: StreamPlan, replicas: number): Partial<StreamConfig> & { name: string } {
  const subjects = plan.topics.map(({ subject }) => subject);
  return {
    name: streamOf(plan.service),
    subjects: [...subjects, `agentmesh.${plan.service}.dead.>`, `agentmesh.${plan.service}.again.>`],
    retention: RetentionPolicy.Interest,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(3 * DAY_MS),
    max_bytes: MOST_BYTES,
    duplicate_window: nanos(2 * 60_000),
    num_replicas: replicas,
    description: `Messages of ${plan.service} that other services must act on`,
  };
}

/** Names of the durable consumers that an earlier release may have left, see `StreamPlan`. */
export function formerConsumers({ topics }: StreamPlan): ReadonlySet<string> {
  const names = topics.flatMap(({ subject, former = [] }) => former.map((durable) => namesOf({ subject, durable })));
  return new Set(names.flatMap(({ consumer, deadConsumer }) => [consumer, deadConsumer]));
}

/** Settings that make the server remove a durable consumer. A publisher of an earlier release that still runs takes it back, which a rollback needs. */
export function retirement(afterMs = RETIRE_MS): Pick<ConsumerConfig, 'inactive_threshold'> {
  return { inactive_threshold: nanos(afterMs) };
}

/** The durable consumers of a stream: two for each consuming service and topic. */
export function consumerSettings(plan: StreamPlan, ackWaitMs: number): Partial<ConsumerConfig>[] {
  return plan.topics.flatMap(({ subject, durables }) =>
    durables.flatMap((durable) => {
      const { consumer, deadConsumer, dead, again } = namesOf({ subject, durable });
      const common = {
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        max_deliver: -1,
        // A later release that was rolled back may have retired it.
        inactive_threshold: 0,
      };
      return [
        {
          ...common,
          durable_name: consumer,
          filter_subjects: [subject, again],
          ack_wait: nanos(ackWaitMs),
          max_ack_pending: MOST_IN_HAND,
          priority_groups: [PIN_GROUP],
          priority_policy: 'pinned_client',
          priority_timeout: nanos(PIN_MS),
        },
        { ...common, durable_name: deadConsumer, filter_subjects: [dead], ack_wait: nanos(30_000) },
      ];
    }),
  );
}
