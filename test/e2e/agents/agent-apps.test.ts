import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, sessionPath, textOf } from '../../caller.ts';
import { startMcpServer } from '../../fakes/mcp/index.ts';
import { fields, makeAgent, type Refusal } from './make-agent.ts';

const url = inject('meshUrl');

let ada: Caller;
let bob: Caller;
beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
});

describe('the app of an agent', () => {
  test('runs for its owner, and the next run uses a replacement', async () => {
    const id = await makeAgent(ada, { agent_name: 'runner', agent_tools: ['get_current_time'] });
    const session = await ada.createSession(`agent${id}`);
    const { body: events } = await ada.run(session, 'Hello, mesh');
    expect([events.at(-1)?.author, textOf(events.at(-1))]).toEqual(['runner', 'Hello, mesh']);
    const { body: names } = await ada.request<string[]>('GET', '/list-apps');
    expect(names).toContain(`agent${id}`);
    expect(names).toEqual(names.toSorted());
    const info = await ada.request('GET', `/apps/agent${id}/app-info`);
    expect(info.body).toMatchObject({ name: `agent${id}`, rootAgentName: 'runner', description: 'Writes verse.' });
    await ada.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'sprinter' });
    const { body: later } = await ada.run(session, 'Again');
    expect(later.at(-1)?.author).toBe('sprinter');
  });

  test('is named with its version by every run that it has answered', async () => {
    interface Run {
      readonly agentVersion?: string;
      readonly agentFilesTime?: number;
    }
    const caller = await newAccount(url);
    const id = await makeAgent(caller, { agent_name: 'numbered' });
    const session = await caller.createSession(`agent${id}`);
    await caller.run(session, 'one');
    await caller.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'numbered', agent_description: 'New.' });
    await caller.run(session, 'two');
    await caller.run(await caller.createSession(), 'of files');
    const { body: runs } = await caller.request<Run[]>('GET', '/runs');
    expect(runs.map(({ agentVersion }) => agentVersion)).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), '2', '1']);
    expect(runs.map(({ agentFilesTime }) => agentFilesTime)).toEqual([expect.any(Number), undefined, undefined]);
    const versions = async (path: string) =>
      (await caller.request<Run[]>('GET', path)).body.map(({ agentVersion }) => agentVersion);
    expect(await versions('/runs?agentVersion=2')).toEqual(['2']);
    expect(await versions(`/runs?app=agent${id}&agentVersion=1`)).toEqual(['1']);
    expect(
      await versions(`/apps/agent${id}/users/${session.userId}/sessions/${session.id}/runs?agentVersion=2`),
    ).toEqual(['2']);
    expect(await versions('/runs?agentVersion=7')).toEqual([]);
  });

  test('leaves no run behind that waits for an answer when it is deleted', async () => {
    const id = await makeAgent(ada, { agent_name: 'asker', agent_tools: ['request_input'] });
    const session = await ada.createSession(`agent${id}`);
    const named = { invocationId: 'named-by-its-client' };
    await ada.run(session, '[[tool:request_input {}]]', named);
    const other = await ada.createSession();
    await ada.request('POST', '/runs', runBody(other, '[[wait:60000]]', named));
    const waiting = async () => (await ada.request<object[]>('GET', '/runs?status=waiting')).body;
    expect(await waiting()).toMatchObject([{ appName: `agent${id}` }]);
    expect((await ada.request('DELETE', `/api/agents/${id}`)).status).toBe(200);
    expect(await waiting()).toEqual([]);
    const { body: runs } = await ada.request<object[]>('GET', `/runs?app=agent${id}`);
    expect(runs).toMatchObject([{ status: 'cancelled' }]);
    // Another app's run has the same id.
    expect((await ada.request<object[]>('GET', `${sessionPath(other)}/runs`)).body).toMatchObject([
      { status: 'running' },
    ]);
    await ada.request('POST', `/runs/${named.invocationId}/cancel`, {});
  });

  test('does not exist for anybody else: every route below it answers 404', async () => {
    const id = await makeAgent(ada, { agent_name: 'hidden' });
    const session = await ada.createSession(`agent${id}`);
    const unknown = 'agent2000000000';
    for (const app of [`agent${id}`, unknown, 'agent0', 'agent99999999999999']) {
      const base = `/apps/${app}/users/u1`;
      const run = {
        appName: app,
        userId: 'u1',
        sessionId: session.id,
        newMessage: { role: 'user', parts: [{ text: 'x' }] },
      };
      const calls: [string, string, unknown?][] = [
        ['GET', `/apps/${app}/app-info`],
        ['GET', `${base}/sessions`],
        ['POST', `${base}/sessions`, {}],
        ['GET', `${base}/sessions/${session.id}`],
        ['PATCH', `${base}/sessions/${session.id}`, { stateDelta: { a: 1 } }],
        ['DELETE', `${base}/sessions/${session.id}`],
        ['GET', `${base}/sessions/${session.id}/artifacts`],
        ['POST', `${base}/sessions/${session.id}/artifacts`, { filename: 'a', artifact: { text: 'x' } }],
        ['PATCH', `${base}/memory`, { sessionId: session.id }],
        ['POST', '/run', run],
        ['POST', '/run_sse', run],
      ];
      for (const [method, path, body] of calls) {
        const answer = await bob.request<Refusal>(method, path, body);
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`);
      }
    }
    expect((await bob.request<string[]>('GET', '/list-apps')).body).not.toContain(`agent${id}`);
    expect((await ada.request('GET', `/apps/agent${id}/users/u1/sessions/${session.id}`)).status).toBe(200);
  });

  test('hands over to sub-agents, and workflows run them', async () => {
    const caller = await newAccount(url);
    const first = await makeAgent(caller, { agent_name: 'first step' });
    const second = await makeAgent(caller, { agent_name: 'second' });
    const flow = await makeAgent(caller, {
      agent_name: 'flow',
      agent_type: 'sequential',
      agent_model: '',
      sub_agents: [first, second, first],
    });
    const session = await caller.createSession(`agent${flow}`);
    const { body: events } = await caller.run(session, 'go');
    expect(events.map(({ author }) => author)).toEqual(['first_step', 'second', 'first_step_2']);
    const loop = await makeAgent(caller, {
      agent_name: 'loop',
      agent_type: 'loop',
      loop_max_iterations: 2,
      sub_agents: [second],
    });
    const looped = await caller.run(await caller.createSession(`agent${loop}`), 'go');
    expect(looped.body).toHaveLength(2);
    const router = await makeAgent(caller, { agent_name: 'router', agent_type: 'router', sub_agents: [second] });
    const routed = await caller.run(
      await caller.createSession(`agent${router}`),
      '[[tool:transfer_to_agent {"agent_name":"second"}]]',
    );
    expect(routed.body.map(({ author }) => author)).toContain('second');
  });

  test('that is deleted while it runs goes on to its end; a run that waits ends visibly as failed', async () => {
    await using server = await startMcpServer();
    // The tool answers when the agent is gone.
    const { promise: until, resolve: answer } = Promise.withResolvers<object>();
    server.odd.set('tools/call', { answer: () => until });
    const id = await makeAgent(ada, { agent_name: 'doomed', mcp_servers: [{ url: server.url, timeout: 60 }] });
    const session = await ada.createSession(`agent${id}`);
    const running = ada.runSse(session, '[[tool:add {"a":20,"b":22}]] done');
    await expect.poll(() => server.calls.map(({ method }) => method)).toContain('tools/call');
    // The response begins when the run is accepted, behind the first one.
    const queued = await ada.fetch('POST', '/run_sse', runBody(session, 'queued'));
    expect((await ada.request('DELETE', `/api/agents/${id}`)).status).toBe(200);
    answer({ content: [{ type: 'text', text: '42' }] });
    expect(textOf((await running).at(-1))).toMatch(/^done\s.*42/s);
    expect(await queued.text()).toContain('APP_NOT_FOUND');
    expect((await ada.request('GET', `/apps/agent${id}/users/u1/sessions/${session.id}`)).status).toBe(404);
  });
});
