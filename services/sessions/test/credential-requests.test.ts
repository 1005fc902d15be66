import { randomUUID } from 'node:crypto';
import { type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome as Outcome } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, newKey, parse, readSession, startSessionsForFile } from './sessions.ts';

const service = startSessionsForFile();

const camelCase = (oauth2: JsonObject): JsonObject => ({ authConfig: { exchangedAuthCredential: { oauth2 } } });
const snakeCase = (oauth2: JsonObject): JsonObject => ({ auth_config: { exchanged_auth_credential: { oauth2 } } });

/** An agent's event that asks for a credential as ADK does. */
function asking(invocationId: string, nonce: string, argsOf = camelCase) {
  const args = argsOf({ authUri: 'https://consent.example', nonce });
  const event = parse(agentEvent(invocationId, '').json);
  const functionCall = { id: randomUUID(), name: 'adk_request_credential', args };
  return toWireEvent({ ...event, content: { role: 'model', parts: [{ functionCall }] } });
}

async function found(key: ReturnType<typeof newKey>, nonce: string): Promise<boolean> {
  const { accountId, userId } = key;
  return (await service.client.findCredentialRequest({ accountId, userId, nonce })).found;
}

function sessionThatAsks(nonce: string, key = newKey()) {
  return sessionThatAppends((invocationId) => [agentEvent(invocationId, 'wait'), asking(invocationId, nonce)], key);
}

/** A session whose waiting run has appended these events. */
async function sessionThatAppends(eventsOf: (invocationId: string) => WireEvent[], key = newKey()) {
  await service.client.createSession({ session: key });
  const { invocationId, turn } = await service.client.beginTurn(beginWith(key, 'hello'));
  if (turn === undefined) throw new Error('no turn');
  const { sessionPk, fence, lastSeq } = turn;
  const append = { accountId: key.accountId, sessionPk, invocationId, fence, lastSeq, events: eventsOf(invocationId) };
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

  test('is found in either spelling of its fields', async () => {
    const nonce = randomUUID();
    const key = await sessionThatAppends((invocationId) => [asking(invocationId, nonce, snakeCase)]);
    expect(await found(key, nonce)).toBe(true);
  });

  test('is not an event that the client wrote: one that a session begins with, or one of the user', async () => {
    const nonce = randomUUID();
    const imported = newKey();
    await service.client.createSession({ session: imported, events: [asking('', nonce)] });
    expect(await found(imported, nonce)).toBe(false);
    const said = await sessionThatAppends((invocationId) => {
      const event = parse(asking(invocationId, nonce).json);
      return [toWireEvent({ ...event, author: 'user' })];
    });
    expect(await found(said, nonce)).toBe(false);
  });

  test('is not an event that only mentions one', async () => {
    const answer = { name: 'adk_request_credential', response: { nonce: 'answered' } };
    const content = {
      role: 'user',
      parts: [{ functionResponse: answer }, { functionCall: { name: 'other', args: { nonce: 'other' } } }],
    };
    const key = await sessionThatAppends((invocationId) => {
      const mention = agentEvent(invocationId, 'adk_request_credential {"nonce":"said"}');
      return [mention, toWireEvent({ ...parse(agentEvent(invocationId, '').json), content })];
    });
    for (const nonce of ['said', 'answered', 'other']) expect(await found(key, nonce)).toBe(false);
  });

  test('goes on in a copy of its session when the source is gone', async () => {
    const nonce = randomUUID();
    const key = await sessionThatAsks(nonce);
    const eventId = (await readSession(service.client, key)).events.at(-1)?.id ?? '';
    const { sessionId } = await service.client.forkSession({ session: key, eventId });
    await service.client.deleteSession({ session: key });
    expect(await found(key, nonce)).toBe(true);
    await service.client.deleteSession({ session: { ...key, sessionId } });
    expect(await found(key, nonce)).toBe(false);
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
