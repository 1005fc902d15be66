import type { ListUsageResponse, ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { Client } from '@connectrpc/connect';
import type { CountedCost } from './call-costs.ts';

const timeoutMs = 2_000;
const [firstDay, lastDay] = ['0001-01-01', '9999-12-31'];

interface RunName {
  readonly accountId: string;
  readonly invocationId: string;
}

/** Asks the keys service what the calls of a run have cost that were reported to it. */
export type CountCost = (run: RunName) => Promise<CountedCost>;

export function createCountCost(client: Pick<Client<typeof ModelUseService>, 'listUsage'>): CountCost {
  return async (run) => sumOf(await client.listUsage({ ...run, fromDay: firstDay, toDay: lastDay }, { timeoutMs }));
}

/** No row: nothing was reported. */
function sumOf({ sums: [sum] }: Pick<ListUsageResponse, 'sums'>): CountedCost {
  return { nanos: sum?.costNanos ?? 0n, unpriced: Number(sum?.unpricedCalls ?? 0n) };
}
