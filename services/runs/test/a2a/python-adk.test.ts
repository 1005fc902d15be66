import { LlmAgent } from '@google/adk/core';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { expect, test } from 'vitest';
import { openRemoteLink } from '../../src/apps/a2a/open-remote-link.ts';
import { RemoteAgent } from '../../src/apps/a2a/remote-agent.ts';
import { createOpenRemote } from '../../src/apps/a2a/remote-client.ts';
import { createAgentBench, log } from '../run-agents.ts';
import { calls, ScriptLlm } from '../script-llm.ts';
import { findPythonWithAdk, startPythonAgent } from './python-agent.ts';

const found = findPythonWithAdk();
const missing = 'missing' in found ? found.missing : '';
if (missing !== '') process.stderr.write(`SKIPPED: the test with ADK for Python: ${missing}\n`);

async function openShouter(python: string, resources: AsyncDisposableStack): Promise<RemoteAgent> {
  const cardUrl = await startPythonAgent(python, resources);
  const policy = createAddressPolicy(['127.0.0.1/32']);
  const { fetch } = resources.use(createGuardedApiFetch({ policy }));
  const deps = { openRemote: createOpenRemote({ fetch, policy }), openKey: () => Promise.resolve(''), log };
  const spec = { name: 'shouter', cardUrl, headers: {}, stateHeaders: {}, timeoutMs: 20_000 };
  return new RemoteAgent({ name: 'shouter' }, openRemoteLink(spec, deps));
}

const lastText = (events: readonly object[]): unknown =>
  (events.at(-1) as { content?: { parts: { text?: string }[] } }).content?.parts[0]?.text;

const options = { skip: missing !== '', timeout: 60_000 };
test(
  'an agent of ADK for Python, served by to_a2a, is a sub-agent that remembers its conversation',
  options,
  async () => {
    await using resources = new AsyncDisposableStack();
    const far = await openShouter('python' in found ? found.python : '', resources);
    const llm = new ScriptLlm(calls('transfer_to_agent', { agentName: 'shouter' }));
    const bench = createAgentBench(new LlmAgent({ name: 'root', model: llm, subAgents: [far] }));
    const { events, failure } = await bench.run({ text: 'hello' });
    expect(failure).toBeUndefined();
    const context = { 'a2a:context_id': expect.stringMatching(/./) };
    expect(events.at(-1)).toMatchObject({ author: 'shouter', customMetadata: context });
    expect(lastText(events)).toMatch(/^HELLO.* 1$/s);
    expect(lastText((await bench.run({ text: 'again' })).events)).toMatch(/AGAIN.* 2$/s);
    const failed = await bench.run({ text: 'fail' });
    expect(failed.events.at(-1)).toMatchObject({ author: 'shouter', errorCode: 'REMOTE_AGENT_FAILED' });
  },
);
