import { MeshError } from '@agentmesh/lib/rpc';
import type { FinalizeCredentialRequest } from '@agentmesh/proto/keys/v1';
import { afterEach, describe, expect, test } from 'vitest';
import { accountId, type Edge, startEdge } from '../edge.ts';

const path = '/agent-identity/finalize';
const body = {
  connectorName: 'projects/p/locations/l/connectors/c',
  userId: 'ada@example.com',
  userIdValidationState: 'c3RhdGU=',
  consentNonce: 'secret-nonce',
};

let edge: Edge | undefined;

afterEach(async () => {
  await edge?.[Symbol.asyncDispose]();
  edge = undefined;
});

async function start(answer: () => object = () => ({}), env: Record<string, string> = {}) {
  const calls: FinalizeCredentialRequest[] = [];
  const finalizeCredential = async (request: FinalizeCredentialRequest) => {
    calls.push(request);
    return answer();
  };
  edge = await startEdge({ keys: { finalizeCredential }, env });
  return { edge, calls };
}

const post = (edge: Edge, json: unknown, headers = {}) => edge.send(path, { method: 'POST', json, headers });

describe('finalizing', () => {
  test('answers an empty object, and tells the service who calls', async () => {
    const { edge, calls } = await start();
    expect(await post(edge, body)).toMatchObject({ status: 200, text: '{}' });
    expect(calls).toMatchObject([{ accountId, ...body }]);
    expect(calls[0]?.email).toContain('@');
  });

  test.each(Object.keys(body))('without %s is 422', async (name) => {
    const { edge, calls } = await start();
    const answer = await post(edge, { ...body, [name]: undefined });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'missing', loc: ['body', name] }] } });
    expect(calls).toEqual([]);
  });

  test.each([
    { connectorName: 'projects/p/locations/l/connectors/../c' },
    { connectorName: 'drive' },
    { connectorName: 7 },
    { userId: '' },
    { consentNonce: '' },
  ])('with %j is 422', async (wrong) => {
    const { edge, calls } = await start();
    expect((await post(edge, { ...body, ...wrong })).status).toBe(422);
    expect(calls).toEqual([]);
  });

  test('repeats neither state nor nonce, in answers or in the log', async () => {
    const { edge } = await start();
    const refused = await post(edge, { ...body, connectorName: undefined });
    await post(edge, body);
    for (const text of [refused.text, JSON.stringify(edge.logged)]) {
      expect(text).not.toContain(body.consentNonce);
      expect(text).not.toContain(body.userIdValidationState);
    }
  });

  test.each([400, 404, 409, 412, 429, 500])('that was refused with %i answers that', async (status) => {
    const { edge } = await start(() => ({ refusal: { status, message: 'No.' } }));
    expect(await post(edge, body)).toMatchObject({ status, body: { detail: 'No.' } });
  });

  test('that was refused with 429 says when to come again, if the service does', async () => {
    const { edge } = await start(() => ({ refusal: { status: 429, message: 'No.', retryAfterSeconds: 7 } }));
    expect((await post(edge, body)).headers.get('retry-after')).toBe('7');
  });

  test.each([
    ['permission_denied', 'credential_user_foreign', 403],
    ['invalid_argument', 'validation_state_invalid', 400],
    ['unavailable', 'agent_identity_refused', 502],
    ['unavailable', 'agent_identity_not_configured', 503],
    ['deadline_exceeded', 'agent_identity_timeout', 504],
  ] as const)('that fails with %s %s is %i', async (code, reason, status) => {
    const { edge } = await start(() => {
      throw new MeshError(code, reason, 'Because.');
    });
    expect(await post(edge, body)).toMatchObject({ status, body: { detail: 'Because.', code: reason } });
  });

  test('needs a token, unless RUNTIME_AUTH is open: then the caller is the anonymous account', async () => {
    const closed = await start();
    expect((await post(closed.edge, body, { authorization: null })).status).toBe(401);
    await closed.edge[Symbol.asyncDispose]();
    const open = await start(() => ({}), { RUNTIME_AUTH: 'open' });
    expect((await post(open.edge, body, { authorization: null })).status).toBe(200);
    expect(open.calls).toMatchObject([{ accountId: '00000000-0000-0000-0000-000000000000', email: '' }]);
  });
});
