import { AuthService } from '@agentmesh/proto/auth/v1';
import { afterEach, expect, test, vi } from 'vitest';
import { requestContext } from '../../telemetry/index.ts';
import { MeshError } from '../call/index.ts';
import { testMesh } from '../testing/test-mesh.ts';

const rpc = '/agentmesh.auth.v1.AuthService/GetAccount';
const away = (reason: string, cause = 'connect ECONNREFUSED') =>
  new MeshError('unavailable', reason, 'It cannot be reached.', { cause: new Error(cause) });

afterEach(() => vi.useRealTimers());

test('while a dependency is away, the first failed call of a method is logged with its cause and the others are counted, with the cause of the last', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let failure: Error = away('database_unavailable');
  const getAccount = () => {
    throw failure;
  };
  await using mesh = await testMesh({ local: true, auth: { getAccount } });
  const call = (requestId: string) =>
    requestContext.run({ requestId }, () =>
      mesh.client
        .client(AuthService)
        .getAccount({})
        .catch(() => undefined),
    );
  const told = () =>
    mesh.logged.splice(0).map(({ level, msg, requestId, calls }) => ({ level, msg, requestId, calls }));
  const first = { level: 'warn', msg: 'call failed', calls: undefined };
  const sum = { level: 'warn', msg: 'more calls failed alike' };

  for (let n = 0; n < 50; n += 1) await call(`r-${n}`);
  expect(mesh.logged).toMatchObject([{ rpc, err: { cause: { message: 'connect ECONNREFUSED' } } }]);
  expect(told()).toEqual([{ ...first, requestId: 'r-0' }]);
  failure = away('bus_unavailable');
  await call('other-reason');
  expect(told()).toEqual([{ ...first, requestId: 'other-reason' }]);

  vi.advanceTimersByTime(10_000);
  expect(mesh.logged).toMatchObject([{ rpc, reason: 'database_unavailable', calls: 49, seconds: 10 }]);
  expect(told()).toEqual([{ ...sum, requestId: 'r-49', calls: 49 }]);
  // Another cause may have the same reason: the sum has that of the last call.
  failure = away('database_unavailable', 'could not extend file: No space left on device');
  for (let n = 0; n < 7; n += 1) await call('again');
  vi.advanceTimersByTime(10_000);
  expect(mesh.logged).toMatchObject([{ err: { cause: { message: expect.stringContaining('No space') as unknown } } }]);
  expect(told()).toEqual([{ ...sum, requestId: 'again', calls: 7 }]);

  vi.advanceTimersByTime(10_000);
  await call('next-outage');
  expect(told()).toEqual([{ ...first, requestId: 'next-outage' }]);
});

test('faults of the product are logged each', async () => {
  const getAccount = () => {
    throw new Error('a mistake');
  };
  await using mesh = await testMesh({ local: true, auth: { getAccount } });
  for (let n = 0; n < 5; n += 1)
    await mesh.client
      .client(AuthService)
      .getAccount({})
      .catch(() => undefined);
  expect(mesh.logged.filter(({ msg }) => msg === 'call failed')).toHaveLength(5);
});
