import { type AccountDeleted, AccountDeletedSchema, AccountErasedSchema } from '@agentmesh/proto/auth/v1';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createBus } from './create-bus.ts';
import { createLocalBus } from './testing/index.ts';

const accountId = '0b5f0b0a-6d0e-4a53-9a6e-3d5b9f6f9c11';

test('a message arrives as it was published, and on no other topic', async () => {
  const bus = createLocalBus();
  const heard: unknown[] = [];
  await bus.subscribe(AccountErasedSchema, (message) => void heard.push(message));
  await bus.subscribe(AccountDeletedSchema, () => expect.unreachable());
  await bus.publish(AccountErasedSchema, { accountId, service: 'keys', counts: { keys: 3n } });
  expect(heard).toMatchObject([{ accountId, service: 'keys', counts: { keys: 3n } }]);
});

test('no message arrives after unsubscribing', async () => {
  const bus = createLocalBus();
  const unsubscribe = await bus.subscribe(AccountDeletedSchema, () => expect.unreachable());
  await unsubscribe();
  await bus.publish(AccountDeletedSchema, { accountId });
});

test('a hint that cannot be decoded is logged and dropped, and the next one arrives', async () => {
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const bus = createBus({ driver: createLocalBus().driver, service: 'tests', log });
  const heard: AccountDeleted[] = [];
  await bus.subscribe(AccountDeletedSchema, (message) => void heard.push(message));
  await bus.driver.publish('agentmesh.auth.v1.account_deleted', new Uint8Array([0xff]), { sender: 'tests' });
  await bus.publish(AccountDeletedSchema, { accountId });
  expect(heard).toMatchObject([{ accountId }]);
  expect(logged).toEqual([expect.stringContaining('"subject":"agentmesh.auth.v1.account_deleted"')]);
});
