import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { LlmAgent } from '@google/adk/core';
import { MeshError } from '@agentmesh/lib/rpc';
import { expect, test } from 'vitest';
import { createAgentBench } from '../test/run-agents.ts';
import { says, ScriptLlm } from '../test/script-llm.ts';
import { createTurnArtifacts } from './execution/attempt/turn-artifacts.ts';
import { createOpenToolKey } from './apps/mcp/tool-keys.ts';
import type { App } from './apps/building/app.ts';
import { outlastOutage } from './outlast-outage.ts';

const away = new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
const late = new MeshError('deadline_exceeded', 'deadline_exceeded', 'The deadline has passed.');
const patienceMs = 60_000;

/** A call that fails like this, one time after the other, and then answers. */
function failing(...failures: Error[]) {
  let calls = 0;
  const call = async (): Promise<string> => {
    const failure = failures[calls];
    calls += 1;
    if (failure !== undefined) throw failure;
    return 'answer';
  };
  return { call, calls: () => calls };
}

test('a call is repeated until its service can be reached', async () => {
  const { call, calls } = failing(away, late);
  expect(await outlastOutage(call, { patienceMs })).toBe('answer');
  expect(calls()).toBe(3);
});

test.each([
  ['a refusal', new MeshError('not_found', 'app_not_found', 'Not found.'), patienceMs],
  ['a mesh without the service', new MeshError('unavailable', 'service_unreachable', 'No address.'), patienceMs],
  ['an error of the program', new TypeError('no function'), patienceMs],
  ['an outage that lasts too long', away, 0],
])('%s is thrown', async (_, failure, patienceMs) => {
  const { call, calls } = failing(failure);
  await expect(outlastOutage(call, { patienceMs })).rejects.toBe(failure);
  expect(calls()).toBe(1);
});

test('the wait ends with its signal', async () => {
  const [stopping, reason] = [new AbortController(), new Error('stopped')];
  const call = async (): Promise<never> => {
    stopping.abort(reason);
    throw away;
  };
  await expect(outlastOutage(call, { signal: stopping.signal, patienceMs })).rejects.toBe(reason);
});

test('a run whose agents cannot be read when it begins waits for them', async () => {
  const { call } = failing(away);
  const agent = new LlmAgent({ name: 'helper', model: new ScriptLlm(says('hi')) });
  const bench = createAgentBench(agent, { findApp: (): Promise<App> => call().then(() => bench.app) });
  expect((await bench.run()).events).toMatchObject([{ content: { parts: [{ text: 'hi' }] } }]);
});

test('the artifacts of a turn, and the keys of its tools, are waited for', async () => {
  const [names, key] = [failing(away), failing(away)];
  async function* listArtifacts() {
    yield { names: [await names.call()] };
  }
  const artifacts = { listArtifacts } as unknown as Client<typeof ArtifactsService>;
  const { signal } = new AbortController();
  const ofTurn = createTurnArtifacts({ artifacts, turn: create(TurnSchema), signal, outageMs: patienceMs });
  expect(await ofTurn.listArtifactKeys()).toEqual(['answer']);
  const openToolKey = async () => ({ secret: await key.call() });
  const openKey = createOpenToolKey({ openToolKey } as unknown as Client<typeof ToolKeysService>, patienceMs);
  expect(await openKey({ accountId: 'a', keyId: 1n, url: 'https://tools.example' })).toBe('answer');
});
