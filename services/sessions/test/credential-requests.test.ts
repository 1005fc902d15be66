import { randomUUID } from 'node:crypto';
import { toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome as Outcome } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentEvent, beginWith, newKey, parse, startSessions, type TestSessions } from './sessions.ts';

let service: TestSessions;

beforeAll(async () => {
  service = await startSessions();
});
afterAll(() => service[Symbol.asyncDispose]());

/** An agent's event that asks for a credential as ADK does. */
function asking(invocationId: string, nonce: string) {
  const oauth2 = { authUri: 'https://consent.example', nonce };
  const authConfig = { credentialKey: 'k', exchangedAuthCredential: { authType: 'oauth2', oauth2 } };
  const args = { functionCallId: 'call-1', authConfig };
  const event = parse(agentEvent(invocationId, '').json);
  const functionCall = { id: randomUUID(), name: 'adk_request_credential', args };
  return toWireEvent({ ...event, content: { role: 'model', parts: [{ functionCall }] } });
}

async function found(key: ReturnType<typeof newKey>, nonce: string): Promise<boolean> {
  const { accountId, userId } = key;
  return (await service.client.findCredentialRequest({ accountId, userId, nonce })).found;
}

async function sessionThatAsks(nonce: string, key = newKey()) {
  await service.client.createSession({ session: key });
  const { invocationId, turn } = await service.client.beginTurn(beginWith(key, 'hello'));
  if (turn === undefined) throw new Error('no turn');
  const { sessionPk, fence, lastSeq } = turn;
  const events = [agentEvent(invocationId, 'wait'), asking(invocationId, nonce)];
  const append = { accountId: key.accountId, sessionPk, invocationId, fence, lastSeq, events };
  await service.client.appendEvents({ ...append, end: { outcome: Outcome.WAITING } });
  return key;
}

describe('a request for a credential', () => {
  test('is found by its nonce, for the user of its session and in its account alone', async () => {
    const nonce = randomUUID();
    const key = await sessionThatAsks(nonce);
    expect(await found(key, nonce)).toBe(true);
    expect(await found(key, `${nonce}x`)).toBe(false);
    expect(await found({ ...key, userId: 'u2' }, nonce)).toBe(false);
    expect(await found({ ...key, accountId: randomUUID() }, nonce)).toBe(false);
    expect(await found({ ...key, appName: 'another' }, nonce)).toBe(true);
    expect(await found(key, '')).toBe(false);
  });

  test('is found in the events that a session begins with, in either spelling of its fields', async () => {
    const key = newKey();
    const args = { auth_config: { exchanged_auth_credential: { oauth2: { nonce: 'imported' } } } };
    const content = { role: 'model', parts: [{ functionCall: { name: 'adk_request_credential', args } }] };
    const event = { ...parse(agentEvent('', '').json), content };
    await service.client.createSession({ session: key, events: [toWireEvent(event)] });
    expect(await found(key, 'imported')).toBe(true);
  });

  test('is not an event that only mentions one', async () => {
    const key = newKey();
    const mention = agentEvent('', 'adk_request_credential {"nonce":"said"}');
    const answer = { name: 'adk_request_credential', response: { nonce: 'answered' } };
    const content = {
      role: 'user',
      parts: [{ functionResponse: answer }, { functionCall: { name: 'other', args: { nonce: 'other' } } }],
    };
    const event = toWireEvent({ ...parse(agentEvent('', '').json), content });
    await service.client.createSession({ session: key, events: [mention, event] });
    for (const nonce of ['said', 'answered', 'other']) expect(await found(key, nonce)).toBe(false);
  });

  test('is gone with its session, while the same nonce of another session stays', async () => {
    const nonce = randomUUID();
    const key = await sessionThatAsks(nonce);
    const other = await sessionThatAsks(nonce, { ...key, sessionId: randomUUID() });
    await service.client.deleteSession({ session: key });
    expect(await found(key, nonce)).toBe(true);
    await service.client.deleteSession({ session: other });
    expect(await found(key, nonce)).toBe(false);
  });
});
