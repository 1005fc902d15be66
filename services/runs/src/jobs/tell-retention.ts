import type { Job } from '@agentmesh/lib/service';
import type { AppRetentionSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { agentAppName } from '../apps/agents/agent-id.ts';
import type { Context } from '../context.ts';
import type { AppSettings } from '../apps/definition/settings/app-settings.ts';
import { selectUntoldAgents, updateToldAgents } from '../store/untold-retention.ts';

type AppRetention = MessageInitShape<typeof AppRetentionSchema>;

const pauseMs = 60_000;
/** Apps in one call. */
const batchSize = 500;
const timeoutMs = 5_000;

/**
 * Tells the sessions service for how long apps say that their runs and events are kept. Apps of `AGENTS_DIR` are told by every replica that serves them
 * again and again, with their last good version; an app that is gone, or has never been loaded, is not told. Agents are told after each change.
 */
export function createTellRetention(context: Pick<Context, 'db' | 'sessions' | 'registry'>): Job {
  return {
    pauseMs,
    failure: 'the sessions service cannot be told how long apps keep their runs, trying again',
    async run() {
      await tellFiles(context);
      await tellAgents(context);
    },
  };
}

async function tellFiles({ sessions, registry }: Pick<Context, 'sessions' | 'registry'>): Promise<void> {
  const all = registry.list().map(({ name, settings }) => ({ appName: name, ...kept(settings.retention) }));
  for (let start = 0; start < all.length; start += batchSize)
    await sessions.declareRetention({ apps: all.slice(start, start + batchSize) }, { timeoutMs });
}

async function tellAgents({ db, sessions }: Pick<Context, 'db' | 'sessions'>): Promise<void> {
  for (let count = batchSize; count === batchSize; ) {
    const agents = await selectUntoldAgents(db, { limit: batchSize });
    count = agents.length;
    if (count === 0) return;
    const apps = agents.map(({ account_id: accountId, agent_id: agentId, version, retention }) => ({
      accountId,
      appName: agentAppName(agentId),
      version,
      ...kept(retention === null || retention === 'forever' ? (retention ?? undefined) : Number(retention)),
    }));
    await sessions.declareRetention({ apps }, { timeoutMs });
    await updateToldAgents(db, agents);
  }
}

function kept(retention: AppSettings['retention']): Pick<AppRetention, 'kept'> {
  if (retention === undefined) return {};
  return { kept: retention === 'forever' ? { case: 'forever', value: true } : { case: 'days', value: retention } };
}
