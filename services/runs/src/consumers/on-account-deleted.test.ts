import { randomUUID } from 'node:crypto';
import type { DeletionAnswers } from '@agentmesh/lib/bus';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { createHistoryCache } from '../execution/history/history-cache.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { log } from '../../test/run-agents.ts';
import { onAccountDeleted } from './on-account-deleted.ts';

test('the cached events of a deleted account are dropped, and those of others stay', async () => {
  await using database = await openTestDatabase();
  const [gone, going] = [randomUUID(), randomUUID()];
  const histories = createHistoryCache(1_000_000);
  const keyOf = (accountId: string) =>
    create(SessionKeySchema, { accountId, appName: 'echo', userId: 'u', sessionId: 's' });
  for (const id of [gone, going]) histories.set(keyOf(id), { events: [] } as never);
  const bus = createLocalBus();
  const agentApps = { find: () => Promise.reject(new Error('not used')), forget: () => undefined };
  const auth = { checkErasure: () => Promise.resolve({ isDeleted: true }), reportErasure: () => Promise.resolve({}) };
  const deps = {
    agentApps,
    auth: auth as unknown as DeletionAnswers['auth'],
    db: database.db,
    histories,
    log,
    spans: undefined,
  };
  await bus.subscribe(AccountDeletedSchema, onAccountDeleted(deps));
  await bus.publish(AccountDeletedSchema, { accountId: gone });
  expect(histories.get(keyOf(gone))).toBeUndefined();
  expect(histories.get(keyOf(going))).toBeDefined();
});
