import { randomUUID } from 'node:crypto';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { createHistoryCache } from '../execution/attempt/history-cache.ts';
import { onAccountGone } from './on-account-gone.ts';

test('the cached events of a deleted account are dropped, and those of others stay', async () => {
  const [gone, going] = [randomUUID(), randomUUID()];
  const histories = createHistoryCache(1_000_000);
  const keyOf = (accountId: string) =>
    create(SessionKeySchema, { accountId, appName: 'echo', userId: 'u', sessionId: 's' });
  for (const id of [gone, going]) histories.set(keyOf(id), { events: [] } as never);
  const bus = createLocalBus();
  const forgotten: string[] = [];
  const agentApps = {
    find: () => Promise.reject(new Error('not used')),
    forget: (accountId: string) => void forgotten.push(accountId),
  };
  await bus.subscribe(
    AccountDeletedSchema,
    onAccountGone({ agentApps, histories, spans: undefined, traces: undefined, runLines: undefined }),
  );
  await bus.publish(AccountDeletedSchema, { accountId: gone });
  expect(histories.get(keyOf(gone))).toBeUndefined();
  expect(histories.get(keyOf(going))).toBeDefined();
  expect(forgotten).toEqual([gone]);
});
