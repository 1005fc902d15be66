import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { withinDeadline } from '@agentmesh/lib/wait';
import { AgentChangedSchema } from '@agentmesh/proto/runs/v1/agents';
import { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { AccountFeed } from './account-feed.ts';
import type { Looking } from './look.ts';

/** The changes of accounts that are watched at this process. */
export interface ChangeFeeds extends AsyncDisposable {
  /** The feed of an account, which knows of changes from now on. Throws what reading the account throws. */
  open(accountId: string): Promise<AccountFeed>;
}

export interface ChangeFeedsOptions {
  readonly bus: Bus;
  readonly services: Looking;
  readonly log: Logger;
}

/** Longest wait in milliseconds for the bus at the end of the process, before which it closes: it may be away. */
const leaveMs = 1_000;

/**
 * Listens to the bus and reads accounts only while somebody watches. No feed waits for the bus: each looks by itself every few seconds, so that hints only make
 * it faster.
 */
export function createChangeFeeds({ bus, services, log }: ChangeFeedsOptions): ChangeFeeds {
  const feeds = new Map<string, AccountFeed>();
  let hearing: Promise<() => Promise<void>> | undefined;
  const listen = (): void => {
    if (hearing !== undefined) return;
    const heard = hear(bus, feeds);
    hearing = heard;
    heard.catch((err: unknown) => {
      if (hearing === heard) hearing = undefined;
      log.warn({ err }, 'hints of changes cannot be heard');
    });
  };
  const deafen = async (): Promise<void> => {
    const heard = hearing;
    hearing = undefined;
    // A refusal has been logged, and leaves nothing to leave.
    const leave = await heard?.catch(() => undefined);
    await leave?.().catch((err: unknown) => log.warn({ err }, 'hints of changes could not be left'));
  };
  const onEnd = (accountId: string): void => {
    feeds.delete(accountId);
    if (feeds.size === 0) void deafen();
  };
  return {
    async open(accountId) {
      listen();
      const feed = feeds.get(accountId) ?? new AccountFeed({ accountId, services, log, onEnd: () => onEnd(accountId) });
      feeds.set(accountId, feed);
      await feed.ready();
      return feed;
    },
    async [Symbol.asyncDispose]() {
      for (const feed of feeds.values()) feed.end();
      feeds.clear();
      await withinDeadline(deafen(), leaveMs, () => undefined);
    },
  };
}

/** Makes the feeds look when the bus tells that something has happened in their accounts. Leaves nothing behind when a subscription is refused. */
async function hear(bus: Bus, feeds: ReadonlyMap<string, AccountFeed>): Promise<() => Promise<void>> {
  const asked = [
    bus.subscribe(RunEndedSchema, ({ accountId }) => feeds.get(accountId)?.hint(false)),
    bus.subscribe(NoticeAddedSchema, ({ accountId }) => feeds.get(accountId)?.hint(false)),
    bus.subscribe(AgentChangedSchema, ({ accountId }) => feeds.get(accountId)?.hint(true)),
  ];
  const leave = async (): Promise<void> => {
    for (const one of await Promise.allSettled(asked)) if (one.status === 'fulfilled') await one.value();
  };
  try {
    await Promise.all(asked);
  } catch (error) {
    await leave();
    throw error;
  }
  return leave;
}
