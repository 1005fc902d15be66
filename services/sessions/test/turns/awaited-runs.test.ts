import { type Bus, createPgBus } from '@agentmesh/lib/bus';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AttemptEnd_Outcome, AwaitedRunEndedSchema, RunEndedSchema, type Turn } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { beginWith, startSessionsForFile } from '../sessions.ts';

const service = startSessionsForFile();
const resources = new AsyncDisposableStack();
/** Invocations of hints and of messages, in the order of their arrival. */
const hinted: string[] = [];
const told: string[] = [];

beforeAll(async () => {
  const log = createLogger({ level: 'silent', name: 'test' });
  const bus: Bus = resources.use(await createPgBus({ url: service.databaseUrl, service: 'webhooks', log }));
  await bus.subscribe(RunEndedSchema, ({ invocationId }) => void hinted.push(invocationId));
  const onTold = ({ invocationId }: { invocationId: string }) => void told.push(invocationId);
  resources.defer(await bus.consume(AwaitedRunEndedSchema, 'webhooks', onTold));
});
beforeEach(() => {
  hinted.length = 0;
  told.length = 0;
});
afterAll(() => resources.disposeAsync());

const { newSession, begin } = driveTurns(service);
const awaited = { awaited: true };

const end = (turn: Turn, outcome = completed) => service.client.appendEvents(appendTo(turn, [], outcome));
const idsOf = (turns: readonly Turn[]) => turns.map(({ invocationId }) => invocationId);

test('the end of every run is hinted, and that of awaited ones is told through the outbox', async () => {
  const turns = await Promise.all(
    [{}, awaited, { ...awaited, idempotencyKey: 'k1' }].map(async (over) => begin(await newSession(), 'one', over)),
  );
  for (const turn of turns) await end(turn);
  await expect.poll(() => hinted.toSorted()).toEqual(idsOf(turns).toSorted());
  await expect.poll(() => told.toSorted()).toEqual(idsOf(turns.slice(1)).toSorted());
});

test('a run that was awaited once stays awaited in its later attempts', async () => {
  const session = await newSession();
  const first = await begin(session, 'one', awaited);
  await end(first, { outcome: AttemptEnd_Outcome.FAILED });
  const { invocationId } = first;
  const again = await begin(session, 'two', { invocationId });
  await end(again);
  const twice = [invocationId, invocationId];
  await expect.poll(() => told).toEqual(twice);
  // A hint that comes later would be one of the next test.
  await expect.poll(() => hinted).toEqual(twice);
});

test('a run that was awaited when it was cancelled in the queue stays awaited in its first attempt', async () => {
  const session = await newSession();
  const { accountId } = session;
  const running = await begin(session, 'one');
  const { invocationId } = await service.client.beginTurn(beginWith(session, 'two', awaited));
  await service.client.cancelRun({ accountId, invocationId });
  await end(running);
  const again = await begin(session, 'two', { invocationId });
  expect(again.attempt).toBe(1);
  await end(again);
  await expect.poll(() => told).toEqual([invocationId, invocationId]);
  await expect.poll(() => hinted.toSorted()).toEqual([running.invocationId, invocationId, invocationId].toSorted());
});

test('awaited runs that are cancelled in the queue, or end with their session, are told', async () => {
  const session = await newSession();
  const { accountId } = session;
  const running = await begin(session, 'one', awaited);
  const queued = [];
  for (const over of [awaited, {}, awaited])
    queued.push(await service.client.beginTurn(beginWith(session, 'more', over)));
  const [second = '', third = '', fourth = ''] = queued.map(({ invocationId }) => invocationId);
  await service.client.cancelRun({ accountId, invocationId: second });
  await service.client.deleteSession({ session });
  await expect.poll(() => hinted.toSorted()).toEqual([running.invocationId, second, third, fourth].toSorted());
  await expect.poll(() => told.toSorted()).toEqual([running.invocationId, second, fourth].toSorted());
});
