import { MeshError } from '@agentmesh/lib/rpc';
import type { AuthService, CreatePersonalTokenRequest } from '@agentmesh/proto/auth/v1';
import { AccountChangedSchema } from '@agentmesh/proto/auth/v1';
import type { RunsService } from '@agentmesh/proto/runs/v1';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { accountId, type Edge, startEdge, token } from '../edge.ts';

const sid = '5d4f4be6-1c9f-4e8f-9a53-0d6c7a5298a4';
const revoked = { detail: 'session_revoked' };
const now = Math.floor(Date.now() / 1000);

/** Accounts of a test: their state, the changes that auth reports, and counts of calls. */
function accounts() {
  const state = {
    stands: true,
    validFrom: 0,
    changedIds: [] as string[],
    cursor: 1n,
    truncated: false,
    asked: 0,
    readings: 0,
    fingerprint: 1n,
  };
  const auth: Partial<ServiceImpl<typeof AuthService>> = {
    getStanding: () => {
      state.asked += 1;
      const signInsValidFrom = timestampFromMs(state.validFrom * 1000);
      return { email: 'a@example.com', role: 'USER', signInStands: state.stands, signInsValidFrom };
    },
    listChangedAccounts: ({ cursor }) => {
      const { truncated } = state;
      state.readings += 1;
      const accountIds = cursor === undefined ? [] : state.changedIds;
      const fingerprints = accountIds.map(() => state.fingerprint);
      return { cursor: state.cursor, accountIds, fingerprints, truncated };
    },
  };
  return { state, auth };
}

async function answerOf(edge: Edge, claims: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${await token({ ...claims })}` };
  return (await edge.send('/version', { headers })).body;
}

/** A run that is accepted and goes on until its viewer leaves. */
const endless: ServiceImpl<typeof RunsService>['run'] = async function* (_request, { signal }) {
  yield { kind: { case: 'accepted', value: { invocationId: 'e-1' } } };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
};

const isServed = expect.objectContaining({ language: 'typescript' }) as unknown;

/** Resolves after the gateway has read the changes once, and so has dropped older cache entries. */
async function firstReading(state: { readonly readings: number }): Promise<void> {
  await expect.poll(() => state.readings).toBeGreaterThan(0);
}

/** Waits until the token is refused. Returns after how many milliseconds the last request began for which it was still accepted. */
async function msAccepted(edge: Edge): Promise<number> {
  const from = performance.now();
  let [last, began] = [0, 0];
  const ask = (): Promise<unknown> => {
    [last, began] = [began, performance.now() - from];
    return answerOf(edge, { sid });
  };
  await expect.poll(ask, { interval: 20 }).toEqual(revoked);
  return last;
}

describe('a token', () => {
  it('ends with its sign-in, or by its time of issue if it names no sign-in', async () => {
    const { state, auth } = accounts();
    await using edge = await startEdge({ auth });
    state.validFrom = now - 10;
    expect(await answerOf(edge, { sid, iat: now - 60 })).toEqual(isServed);
    expect(await answerOf(edge, { iat: now - 60 })).toEqual(revoked);
    expect(await answerOf(edge, { iat: now - 10 })).toEqual(isServed);
    state.stands = false;
    expect(await answerOf(edge, { sid: sid.replace('5d', '6d') })).toEqual(revoked);
    expect(await answerOf(edge, { sid: 'x' })).toEqual({ detail: 'Could not validate credentials' });
    expect(await answerOf(edge, { sid: 7 })).toEqual({ detail: 'Could not validate credentials' });
  });

  it('costs no look-up while its account does not change', async () => {
    const { state, auth } = accounts();
    await using edge = await startEdge({ auth });
    await answerOf(edge, { sid });
    await firstReading(state);
    const before = state.asked;
    for (let request = 0; request < 50; request += 1) expect(await answerOf(edge, { sid })).toEqual(isServed);
    expect(state.asked - before).toBeLessThanOrEqual(1);
  });

  it('ends at once when the bus reports it', async () => {
    const { state, auth } = accounts();
    await using edge = await startEdge({ auth });
    expect(await answerOf(edge, { sid })).toEqual(isServed);
    state.stands = false;
    await edge.bus.publish(AccountChangedSchema, { accountId });
    expect(await answerOf(edge, { sid })).toEqual(revoked);
  });

  it('ends within a second when the bus loses the message', async () => {
    const { state, auth } = accounts();
    await using edge = await startEdge({ auth });
    expect(await answerOf(edge, { sid })).toEqual(isServed);
    state.stands = false;
    state.changedIds = [accountId];
    expect(await msAccepted(edge)).toBeLessThan(1_000);
  });

  it('costs one look-up per change, however often the change is reported', async () => {
    const { state, auth } = accounts();
    await using edge = await startEdge({ auth });
    await answerOf(edge, { sid });
    await firstReading(state);
    state.changedIds = [accountId];
    await answerOf(edge, { sid });
    const readings = state.readings + 2;
    await expect.poll(() => state.readings).toBeGreaterThan(readings);
    await answerOf(edge, { sid });
    const { asked } = state;
    await expect.poll(() => state.readings).toBeGreaterThan(readings + 2);
    expect(await answerOf(edge, { sid })).toEqual(isServed);
    expect(state.asked).toBe(asked);
    state.stands = false;
    state.fingerprint = 2n;
    expect(await msAccepted(edge)).toBeLessThan(1_000);
  });

  it.each(['truncated', 'another database'])('ends when all may have changed: %s', async (how) => {
    const { state, auth } = accounts();
    state.cursor = 1_000n;
    await using edge = await startEdge({ auth });
    await answerOf(edge, { sid });
    await firstReading(state);
    expect(await answerOf(edge, { sid })).toEqual(isServed);
    state.stands = false;
    if (how === 'truncated') state.truncated = true;
    else state.cursor = 5n;
    expect(await msAccepted(edge)).toBeLessThan(1_000);
  });

  it('is looked up again when its account changed during the look-up', async () => {
    const { state, auth } = accounts();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const getStanding: NonNullable<typeof auth.getStanding> = async () => {
      const { stands } = state;
      asked.resolve();
      await answer.promise;
      return { email: 'a@example.com', role: 'USER', signInStands: stands };
    };
    await using edge = await startEdge({ auth: { ...auth, getStanding } });
    const early = answerOf(edge, { sid });
    await asked.promise;
    state.stands = false;
    await edge.bus.publish(AccountChangedSchema, { accountId });
    answer.resolve();
    await early;
    expect(await answerOf(edge, { sid })).toEqual(revoked);
  });
});

describe('the stream of a run', () => {
  it('ends with its credential, and not when the time of that is over or auth cannot be asked', async () => {
    const { state, auth } = accounts();
    let isAway = false;
    const getStanding: NonNullable<typeof auth.getStanding> = (request, call) => {
      const standing = auth.getStanding?.(request, call) ?? {};
      if (isAway) throw new MeshError('unavailable', 'draining', 'The service is stopping.');
      return standing;
    };
    await using edge = await startEdge({ auth: { ...auth, getStanding }, runs: { run: endless } });
    const authorization = `Bearer ${await token({ sid, exp: Math.floor(Date.now() / 1000) + 2 })}`;
    const json = { appName: 'app', userId: 'u1', sessionId: 's1', newMessage: { parts: [{ text: 'hi' }] } };
    let isOpen = true;
    const stream = edge.send('/run_sse', { json, headers: { authorization } }).finally(() => (isOpen = false));
    const ask = async () => (await edge.send('/version', { headers: { authorization } })).status;
    await expect.poll(ask, { timeout: 10_000 }).toBe(401);
    state.changedIds = [accountId];
    const checkedTwice = async () => {
      const { asked } = state;
      state.fingerprint += 1n;
      await expect.poll(() => state.asked).toBeGreaterThan(asked);
      const { readings } = state;
      await expect.poll(() => state.readings).toBeGreaterThan(readings + 1);
    };
    await checkedTwice();
    [isAway, state.stands] = [true, false];
    await checkedTwice();
    expect(isOpen).toBe(true);
    isAway = false;
    expect((await stream).text).toContain('The credential of this stream was revoked.');
  });
});

describe('what makes a token for a program', () => {
  const makers = [
    ['/api/auth/tokens', { name: 'ci', scopes: ['runs:write'] }],
    ['/api/auth/device/approve', { user_code: 'BCDF-GHJK' }],
  ] as const;

  it('names the access token of its caller, by its sign-in and its time of issue', async () => {
    const named: object[] = [];
    type Named = Pick<CreatePersonalTokenRequest, 'accountId' | 'signInId' | 'issuedAt'>;
    const note = ({ accountId, signInId, issuedAt }: Named) =>
      named.push({ accountId, signInId, issuedAt: issuedAt && timestampMs(issuedAt) });
    const expiresAt = timestampFromMs(Date.now());
    const createPersonalToken: NonNullable<typeof auth.createPersonalToken> = (request) => {
      note(request);
      return { secret: 's', token: { id: sid, name: 'ci', scopes: [], createdAt: expiresAt, expiresAt } };
    };
    const decideDeviceSignIn: NonNullable<typeof auth.decideDeviceSignIn> = (request) => {
      note(request);
      return {};
    };
    const { auth } = accounts();
    await using edge = await startEdge({ auth: { ...auth, createPersonalToken, decideDeviceSignIn } });
    for (const [path, json] of makers) {
      for (const claims of [{ sid, iat: now - 60 }, { iat: now - 7.5 }]) {
        const headers = { authorization: `Bearer ${await token(claims)}` };
        expect((await edge.send(path, { json, headers })).status).toBeLessThan(300);
      }
    }
    const [bySignIn, byTime] = [
      { accountId, signInId: sid, issuedAt: (now - 60) * 1000 },
      { accountId, signInId: '', issuedAt: (now - 7.5) * 1000 },
    ];
    expect(named).toEqual([bySignIn, byTime, bySignIn, byTime]);
  });

  it('is answered as an ended sign-in when auth knows of its end before the gateway', async () => {
    const refuse = (): never => {
      throw new MeshError('unauthenticated', 'session_revoked', 'session_revoked');
    };
    const { auth } = accounts();
    await using edge = await startEdge({ auth: { ...auth, createPersonalToken: refuse, decideDeviceSignIn: refuse } });
    for (const [path, json] of makers) {
      expect(await edge.send(path, { json })).toMatchObject({ status: 401, body: revoked });
    }
  });
});
