import { randomUUID } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import type { EventJson } from '@agentmesh/proto/event';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, textOf } from '../../caller.ts';
import { type FakeGoogleCredentials, startFakeGoogleCredentials } from '../../fakes/google-credentials.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { settledLog } from '../settled-log.ts';

const connector = 'projects/p/locations/us-central1/connectors/drive';
const resources = new AsyncDisposableStack();
let google: FakeGoogleCredentials;
const only = ['auth', 'keys', 'runs', 'sessions'];
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  google = resources.use(await startFakeGoogleCredentials());
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const env = {
    AGENTS_DIR: agentsDir,
    IAM_CONNECTOR_BASE_URL: google.baseUrl,
    AGENT_IDENTITY_BASE_URL: google.baseUrl,
    GCE_METADATA_HOST: google.metadataHost,
  };
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly functionCallId?: string; readonly authConfig?: unknown };
}

const partsOf = (events: readonly EventJson[]) => events.flatMap(({ content }) => content?.parts ?? []);
const callsOf = (events: readonly EventJson[]) =>
  partsOf(events).flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall as unknown as Call]));
const answersOf = (events: readonly EventJson[]) =>
  partsOf(events).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [(functionResponse as { response: unknown }).response],
  );

/** Runs the agent up to its request for the consent. */
async function ask(session: SessionJson, nonce: string) {
  const args = JSON.stringify({ connector, auth_uri: 'https://consent.example/start', nonce });
  const asked = await caller.run(session, `[[tool:request_credential ${args}]]`);
  expect(asked.status).toBe(200);
  const call = callsOf(asked.body).find(({ name }) => name === 'adk_request_credential');
  if (call === undefined) throw new Error('the agent did not ask');
  return { asked, call };
}

const finalize = (consentNonce: string, over: object = {}, by = caller) =>
  by.request('POST', '/agent-identity/finalize', {
    connectorName: connector,
    userId: 'u1',
    userIdValidationState: Buffer.from('state').toString('base64url'),
    consentNonce,
    ...over,
  });

describe('consent to a connector', () => {
  test('goes round: the agent asks, the run waits, the flow is finalized, the same run goes on, and the tool has run once', async () => {
    const session = await caller.createSession('consent');
    const nonce = randomUUID();
    const { asked, call } = await ask(session, nonce);
    const request = asked.body.find(({ longRunningToolIds: ids }) => JSON.stringify(ids) === JSON.stringify([call.id]));
    expect(request).toBeDefined();
    expect(asked.body.map(textOf).join('')).toBe('');
    expect(call.args.authConfig).toMatchObject({ exchangedAuthCredential: { oauth2: { nonce } } });
    expect(answersOf(asked.body)).toEqual([{ status: 'pending', connector }]);

    expect(await finalize(nonce)).toMatchObject({ status: 200, body: {} });
    const resource = `v1alpha/${connector}`;
    expect(google.finalized).toContainEqual({ resource, userId: 'u1', validationState: 'state', consentNonce: nonce });

    // The web UI answers with the request unchanged.
    const response = { id: call.id, name: call.name, response: call.args.authConfig };
    const newMessage = { role: 'user', parts: [{ functionResponse: response }] };
    const resumed = await caller.run(session, '', { newMessage, functionCallEventId: request?.id });
    expect(resumed.status).toBe(200);
    expect(resumed.headers.get('x-invocation-id')).toBe(asked.headers.get('x-invocation-id'));
    expect(answersOf(resumed.body)).toEqual([{ status: 'granted', connector }]);
    expect(resumed.body.map(textOf).join('')).toContain('granted');
    expect(callsOf(resumed.body)).toEqual([]);
    const { events } = await caller.readSession(session);
    const granted = answersOf(events).filter((answer) => JSON.stringify(answer).includes('granted'));
    expect(granted).toHaveLength(1);
  });

  test('is finalized for a user of a session only with the nonce of that session, and by its account', async () => {
    const session = await caller.createSession('consent');
    const nonce = randomUUID();
    await ask(session, nonce);
    const stranger = await newAccount(mesh.url);
    for (const answer of [
      await finalize(randomUUID()),
      await finalize(nonce, { userId: 'u2' }),
      await finalize(nonce, {}, stranger),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'credential_user_foreign' } });
    }
    expect((await finalize(nonce)).status).toBe(200);
    expect(await finalize(nonce)).toMatchObject({ status: 409 });
  });

  test("is finalized for the caller's own address without a session", async () => {
    const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
    expect((await finalize(randomUUID(), { userId: email })).status).toBe(200);
  });

  test('leaves neither nonce nor state in the log', async () => {
    const nonce = randomUUID();
    await finalize(nonce);
    google.answer({ status: 400, body: { error: { code: 400, message: `bad ${nonce}`, status: 'INVALID_ARGUMENT' } } });
    const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
    expect((await finalize(nonce, { userId: email })).status).toBe(400);
    const log = (await settledLog(mesh)).join('\n');
    expect(log).not.toContain(nonce);
    expect(log).not.toContain(Buffer.from('state').toString('base64url'));
  });
});
