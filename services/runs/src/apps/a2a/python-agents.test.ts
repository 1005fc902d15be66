import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasPython, installPython } from '../../../../../test/fakes/python.ts';
import { createAgentBench, log } from '../../../test/run-agents.ts';
import { openRemoteLink } from './open-remote-link.ts';
import { RemoteAgent } from './remote-agent.ts';
import { createOpenRemote } from './remote-client.ts';

const program = fileURLToPath(new URL('../../../../../test/fakes/a2a_agent.py', import.meta.url));
const resources = new AsyncDisposableStack();
let python: string;
beforeAll(async () => {
  if (!hasPython) return;
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'a2a-')), (path) => rm(path, { recursive: true }));
  python = await installPython(join(folder, 'venv'), 'a2a-sdk[http-server]==1.3.0', 'uvicorn==0.54.0');
}, 600_000);
afterAll(() => resources.disposeAsync());

/** Starts an agent that speaks a version of the protocol, and returns an agent of ours that calls it. */
async function open(version: string) {
  const [port = 0] = await freePorts(1);
  const child = spawn(python, [program, version, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  resources.adopt(child, (started: ChildProcess) => void started.kill());
  const cardUrl = `http://127.0.0.1:${port}/.well-known/agent-card.json`;
  await vi.waitFor(async () => {
    if (!(await fetch(cardUrl)).ok) throw new Error('The agent has no card yet.');
  });
  const policy = createAddressPolicy(['127.0.0.1/32']);
  const { fetch: guarded } = resources.use(createGuardedApiFetch({ policy }));
  const openKey = () => Promise.reject(new Error('There is no key.'));
  const deps = { openRemote: createOpenRemote({ fetch: guarded, policy }), openKey, log };
  const config = { name: 'far', cardUrl, headers: {}, stateHeaders: {}, timeoutMs: 30_000 };
  return createAgentBench(new RemoteAgent({ name: 'far' }, openRemoteLink(config, deps)));
}

const textOf = (events: readonly Record<string, unknown>[]): string => JSON.stringify(events.at(-1)?.['content']);

describe.skipIf(!hasPython).each(['1.0', '0.3'])('an agent by the SDK for Python, with version %s', (version) => {
  test('answers; after a task that failed, the next message begins a new one', async () => {
    const bench = await open(version);
    expect(textOf((await bench.run({ text: 'hello' })).events)).toContain('new: hello');
    const failed = await bench.run({ text: 'fail' });
    expect(failed.events.at(-1)).toMatchObject({
      errorCode: 'REMOTE_AGENT_FAILED',
      errorMessage: expect.stringContaining('out of paper'),
    });
    expect(textOf((await bench.run({ text: 'again' })).events)).toContain('new: again');
  }, 120_000);

  test('asks, which makes the run wait, and its task goes on with the answer', async () => {
    const bench = await open(version);
    const { events } = await bench.run({ text: 'ask' });
    const { end } = bench.sessions.run(bench.key);
    const [call] = JSON.parse(Buffer.from(end?.waitingForJson ?? []).toString()) as { functionCallId: string }[];
    expect(end?.outcome).toBe(AttemptEnd_Outcome.WAITING);
    expect(call).toMatchObject({ name: 'request_input', args: { message: 'Which colour?' } });
    expect(events).not.toEqual([]);
    const functionResponse = { id: call?.functionCallId ?? '', name: 'request_input', response: { result: 'blue' } };
    const answered = await bench.run({ message: { role: 'user', parts: [{ functionResponse }] } });
    expect(textOf(answered.events)).toContain('answer: blue');
    expect(textOf((await bench.run({ text: 'next' })).events)).toContain('new: next');
  }, 120_000);
});
