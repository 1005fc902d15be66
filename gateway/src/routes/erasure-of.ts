import type { GetErasureResponse } from '@agentmesh/proto/auth/v1';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Erasure } from '../schemas/erasure.ts';

/** The receipt as the public API shows it. */
export function erasureOf({ requestedAt, completedAt, final, parts }: GetErasureResponse): Erasure {
  return {
    status: completedAt === undefined ? 'pending' : 'complete',
    final: final && completedAt !== undefined,
    requested_at: timeOf(requestedAt) ?? '',
    completed_at: timeOf(completedAt),
    services: parts.map(({ service, erasedAt, counts }) => ({
      service,
      erased_at: timeOf(erasedAt),
      counts: Object.fromEntries(Object.entries(counts).map(([kind, number]) => [kind, Number(number)])),
    })),
  };
}

function timeOf(time: Timestamp | undefined): string | null {
  return time === undefined ? null : timestampDate(time).toISOString();
}
