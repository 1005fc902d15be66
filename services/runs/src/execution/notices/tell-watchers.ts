import { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import type { Context } from '../../context.ts';

/** Hints that an account has a new notice. The notice is committed; a lost hint only delays it for those who watch. */
export async function tellWatchers({ bus, log }: Pick<Context, 'bus' | 'log'>, accountId: string): Promise<void> {
  await bus.publish(NoticeAddedSchema, { accountId }).catch((err: unknown) => {
    log.warn({ err }, 'watchers were not told of a notice; they look within ten seconds');
  });
}
