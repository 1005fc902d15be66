import { createLogger } from '@agentmesh/lib/telemetry';
import { MeshError } from '@agentmesh/lib/rpc';
import type { LlmRequest } from '@google/adk/core';
import { expect, test } from 'vitest';
import { noteCaller } from './model-caller.ts';
import { createModelUse, type ModelUseOptions } from './model-use.ts';

const away = new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
const asked = { provider: 'openai', model: 'm', keyId: 0n, estimate: { input: 1, output: 1 } } as const;

/** The use of models where the keys service fails like this, one time after the other, and then allows the call. */
function open({ failures, outageMs = 60_000 }: { readonly failures: readonly Error[]; readonly outageMs?: number }) {
  const ids: string[] = [];
  const beginCall = async ({ callId }: { callId: string }) => {
    const failure = failures[ids.length];
    ids.push(callId);
    if (failure !== undefined) throw failure;
    return { callId, secret: 'sk', modelApiBase: '', priceProvider: '' };
  };
  const client = { beginCall } as unknown as ModelUseOptions['client'];
  const use = createModelUse({ client, log: createLogger({ level: 'silent', name: 'test' }), outageMs });
  const request: LlmRequest = { contents: [], toolsDict: {}, liveConnectConfig: {} };
  noteCaller(request, { accountId: 'a', appName: 'app', userId: 'u', invocationId: 'i' });
  return { ids, begin: (signal?: AbortSignal) => use.begin(request, asked, signal) };
}

test('a call of a model waits for the keys service, and is allowed once', async () => {
  const { ids, begin } = open({ failures: [away, away] });
  expect(await begin()).toMatchObject({ secret: 'sk' });
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
});

test('a limit that is reached ends it at once, and an outage after its time', async () => {
  const full = new MeshError('resource_exhausted', 'budget_reached', 'The limit is reached.');
  await expect(open({ failures: [full] }).begin()).rejects.toMatchObject({ errorCode: 'BUDGET_REACHED' });
  const short = open({ failures: [away], outageMs: 0 });
  await expect(short.begin()).rejects.toMatchObject({ errorCode: 'MODEL_USE_UNAVAILABLE' });
});

test('a run that is stopped does not wait', async () => {
  const reason = new Error('stopped');
  const { begin } = open({ failures: [away] });
  await expect(begin(AbortSignal.abort(reason))).rejects.toBe(reason);
});
