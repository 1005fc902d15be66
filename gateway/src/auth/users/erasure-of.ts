import type { GetErasureResponse } from '@agentmesh/proto/auth/v1';
import { dateTime } from '../date-time.ts';
import type { Erasure } from './erasure-record.ts';

/** Public form of an erasure receipt. */
export function erasureOf({ requestedAt, completedAt, final, parts }: GetErasureResponse): Erasure {
  return {
    status: completedAt === undefined ? 'pending' : 'complete',
    final: final && completedAt !== undefined,
    requested_at: dateTime(requestedAt) ?? '',
    completed_at: dateTime(completedAt),
    services: parts.map(({ service, erasedAt, counts }) => ({
      service,
      erased_at: dateTime(erasedAt),
      counts: Object.fromEntries(Object.entries(counts).map(([kind, number]) => [kind, Number(number)])),
    })),
  };
}
