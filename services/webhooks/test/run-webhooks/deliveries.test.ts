import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openRunWebhooks, secret, type TestRun, type TestRunWebhooks } from './open-run-webhooks.ts';

let at: TestRunWebhooks;
beforeAll(async () => {
  at = await openRunWebhooks();
});
afterAll(() => at[Symbol.asyncDispose]());

const deliveriesOf = async (run: TestRun) => (await at.client.listDeliveries(run)).deliveries;
const idsAt = (path: string) => at.receiver.at(path).map(({ headers }) => headers['webhook-id']);

async function endedRun(path: string, over: object = {}): Promise<TestRun> {
  const run = await at.register(path, over);
  await at.end(run, RunStatus.COMPLETED);
  return run;
}

describe('a message', () => {
  test('is tried again within 30 s, with the same id and body, until the receiver takes it', async () => {
    let left = 2;
    at.receiver.answers.set('/again', () => (left-- > 0 ? 500 : 200));
    const run = await endedRun('/again');
    const deliverer = at.deliverer();
    await deliverer.settle();
    expect(await deliveriesOf(run)).toMatchObject([
      { status: 'pending', responseStatus: 500, error: 'The server answered 500.' },
    ]);
    await at.clock.advance(30_000);
    await deliverer.settle();
    expect(at.receiver.at('/again')).toHaveLength(2);
    await at.clock.advance(600_000);
    await deliverer.settle();
    expect(await deliveriesOf(run)).toMatchObject([{ status: 'delivered', attempts: 3, error: '' }]);
    expect(new Set(idsAt('/again')).size).toBe(1);
    expect(new Set(at.receiver.at('/again').map(({ body }) => body)).size).toBe(1);
    const times = at.receiver.at('/again').map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(3);
  });

  test('is tried for three days, and can be sent again afterwards with the same id', async () => {
    at.receiver.answers.set('/days', 503);
    const run = await endedRun('/days');
    const deliverer = at.deliverer();
    const begun = at.clock.now().getTime();
    let last = begun;
    for (let hour = 0; hour < 100; hour += 1) {
      const before = at.receiver.at('/days').length;
      await deliverer.settle();
      if (at.receiver.at('/days').length > before) last = at.clock.now().getTime();
      await at.clock.advance(3_600_000);
    }
    expect(last - begun).toBeGreaterThan(2 * 86_400_000);
    expect(last - begun).toBeLessThanOrEqual(3 * 86_400_000);
    const [failed] = await deliveriesOf(run);
    expect(failed).toMatchObject({ status: 'failed', nextAttemptTime: 0, responseStatus: 503 });
    at.receiver.answers.set('/days', 200);
    const resent = await at.client.resendDelivery({ ...run, deliveryId: failed?.id ?? '' });
    expect(resent.delivery).toMatchObject({ status: 'pending', id: failed?.id });
    await deliverer.settle();
    expect(await deliveriesOf(run)).toMatchObject([{ status: 'delivered', responseStatus: 200 }]);
    expect(new Set(idsAt('/days')).size).toBe(1);
    await expect(at.client.resendDelivery({ ...run, deliveryId: 'msg_other' })).rejects.toMatchObject({
      reason: 'delivery_not_found',
    });
  });

  test('that is sent again while the last attempt is failing, is sent again at once', async () => {
    const run = await endedRun('/during');
    vi.spyOn(at.webhooks, 'fetch').mockImplementationOnce(async () => {
      const [delivery] = await deliveriesOf(run);
      await at.client.resendDelivery({ ...run, deliveryId: delivery?.id ?? '' });
      return new Response(null, { status: 410 });
    });
    await at.deliverer().settle();
    expect(await deliveriesOf(run)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('is not sent where a redirect leads', async () => {
    at.receiver.answers.set('/moved', 307);
    const run = await endedRun('/moved');
    await at.deliverer().settle();
    expect(at.receiver.at('/elsewhere')).toEqual([]);
    expect(await deliveriesOf(run)).toMatchObject([
      { status: 'pending', error: expect.stringContaining('not followed') },
    ]);
  });

  test('is not sent again to a receiver that answers 410', async () => {
    at.receiver.answers.set('/gone', 410);
    const run = await endedRun('/gone');
    await at.deliverer().settle();
    expect(await deliveriesOf(run)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  });

  test('whose attempt ended with its process is sent by another replica within 30 s, with the same id', async () => {
    at.receiver.answers.set('/killed', 'hang');
    const run = await endedRun('/killed');
    const process = new AbortController();
    const killed = at.deliverer(process.signal);
    await killed.begin();
    await expect.poll(() => at.receiver.at('/killed').length, { timeout: 30_000 }).toBe(1);
    process.abort(new Error('killed'));
    await killed.end();
    at.receiver.answers.set('/killed', 200);
    const other = at.deliverer();
    await other.settle();
    expect(at.receiver.at('/killed')).toHaveLength(1);
    await at.clock.advance(30_000);
    await other.settle();
    expect(await deliveriesOf(run)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    expect(new Set(idsAt('/killed')).size).toBe(1);
  });

  test('is sent once by two replicas that look at the same time', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => endedRun('/shared')));
    await Promise.all([at.deliverer().settle(), at.deliverer().settle()]);
    expect(new Set(idsAt('/shared')).size).toBe(runs.length);
    expect(at.receiver.at('/shared')).toHaveLength(runs.length);
  });

  test('of one account is not held up by servers of five others that hang', async () => {
    at.receiver.answers.set('/hangs', 'hang');
    for (let account = 0; account < 5; account += 1) {
      const { accountId } = await endedRun('/hangs');
      for (let more = 0; more < 6; more += 1) await endedRun('/hangs', { accountId });
    }
    await endedRun('/quick');
    const process = new AbortController();
    const deliverer = at.deliverer(process.signal);
    await deliverer.begin();
    await expect.poll(() => at.receiver.at('/quick').length, { timeout: 30_000 }).toBe(1);
    expect(at.receiver.at('/hangs').length).toBeLessThanOrEqual(20);
    process.abort(new Error('stopped'));
    await deliverer.end();
  });
});

test('no secret is logged', () => {
  expect(at.logged.join('')).not.toContain(secret.slice(6));
});
