import { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import type { Bus } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AwaitedHere } from './awaited-here.ts';

/** Surroundings of those who write notices. */
export interface Noticing {
  readonly bus: Bus;
  readonly db: Database;
  readonly log: Logger;
  readonly awaited: AwaitedHere;
}

/** Hints that an account has a new notice. The notice is committed; a lost hint only delays it for those who watch. */
export async function tellWatchers({ bus, log }: Pick<Noticing, 'bus' | 'log'>, accountId: string): Promise<void> {
  await bus.publish(NoticeAddedSchema, { accountId }).catch((err: unknown) => {
    log.warn({ err }, 'watchers were not told of a notice; they look within ten seconds');
  });
}
