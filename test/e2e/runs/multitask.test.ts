import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath, textOf, untilSaid } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

type Run = Record<string, unknown> & { readonly invocationId: string; readonly status: string };

const busy = { status: 409, body: { code: 'session_busy' } };
const patience = { timeout: 30_000 };

async function start(session: SessionJson, text: string, over: object = {}): Promise<Run> {
  const { status, body } = await caller.request<Run>('POST', '/runs', runBody(session, text, over));
  expect(status).toBe(202);
  return body;
}

const statusOf = async ({ invocationId }: Run) =>
  (await caller.request<Run>('GET', `/runs/${invocationId}`)).body.status;
const cancel = ({ invocationId }: Run) => caller.request('POST', `/runs/${invocationId}/cancel`, {});
const runsOf = async (session: SessionJson) =>
  (await caller.request<Run[]>('GET', `${sessionPath(session)}/runs`)).body;

/** Sends a run as a client does that leaves once it is running. */
async function leave(session: SessionJson, headers: Record<string, string> = {}): Promise<void> {
  const leaving = new AbortController();
  const sent = fetch(`${caller.url}/run_sse`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(runBody(session, '[[wait:60000]] end')),
    signal: leaving.signal,
  }).catch(() => undefined);
  await expect.poll(async () => (await runsOf(session))[0]?.status, patience).toBe('running');
  leaving.abort();
  await sent;
}

describe('multitask', () => {
  test('interrupt: the running run ends with its text so far, and the new one comes before those that wait', async () => {
    const session = await caller.createSession();
    const stream = caller.stream(session, 'so far [[wait:60000]] late', { streaming: true });
    await untilSaid(stream, 'far');
    const rest = Array.fromAsync(stream);
    const waiting = await start(session, 'later');
    const answer = await caller.run(session, 'now', { multitask: 'interrupt' });
    expect(answer.body.map(textOf)).toEqual(['now']);
    expect((await rest).at(-1)).toMatchObject({ interrupted: true, errorCode: 'INTERRUPTED_BY_RUN' });
    await expect.poll(() => statusOf(waiting), patience).toBe('completed');
    const runs = (await runsOf(session)).toSorted((a, b) => (a['createTime'] as number) - (b['createTime'] as number));
    expect(runs.map(({ status }) => status)).toEqual(['interrupted', 'completed', 'completed']);
    const { events } = await caller.readSession(session);
    expect(events.map(textOf).slice(2)).toEqual(['now', 'now', 'later', 'later']);
    expect(textOf(events[1])).toMatch(/^so far\s*$/);
  });

  test('rollback: the running run ends, and the next one finds its session as it was before', async () => {
    const session = await caller.createSession('echo', { state: { color: 'none' } });
    await caller.run(session, '[[state:color=red]] [[artifact:a.txt one]]');
    const running = await start(session, '[[state:color=blue]] [[state:more=1]] [[artifact:a.txt two]] [[wait:60000]]');
    const readColor = async () => (await caller.readSession(session)).state;
    await expect.poll(readColor, patience).toMatchObject({ color: 'blue', more: '1' });
    const artifact = `${sessionPath(session)}/artifacts/a.txt`;
    const textOfArtifact = async () => (await caller.request<{ text?: string }>('GET', artifact)).body.text;
    await expect.poll(textOfArtifact, patience).toBe('two');
    const answer = await caller.run(session, 'now', { multitask: 'rollback' });
    expect(answer.body.map(textOf)).toEqual(['now']);
    expect(await statusOf(running)).toBe('interrupted');
    const { state, events } = await caller.readSession(session);
    expect(state).toEqual({ color: 'red' });
    expect(await textOfArtifact()).toBe('one');
    const rewinds = events.filter(({ actions }) => 'rewindBeforeInvocationId' in actions);
    expect(rewinds.map(({ actions }) => actions.rewindBeforeInvocationId)).toEqual([running.invocationId]);
  });

  test.each(['/run', '/run_sse', '/runs'])('reject: %s is answered 409 while another run is not over', async (path) => {
    const session = await caller.createSession();
    const running = await start(session, '[[wait:60000]]');
    const send = (over: object) => caller.request('POST', path, runBody(session, 'x', over));
    expect(await send({ multitask: 'reject' })).toMatchObject(busy);
    await cancel(running);
    await expect.poll(() => statusOf(running), patience).toBe('cancelled');
    expect((await caller.request('POST', '/runs', runBody(session, 'x', { multitask: 'reject' }))).status).toBe(202);
    expect(await send({ multitask: 'perhaps' })).toMatchObject({ status: 422 });
  });

  test('reject and on_disconnect can be the choice of an app', async () => {
    const id = await makeAgent(caller, { multitask: 'reject', on_disconnect: 'cancel' });
    const session = await caller.createSession(`agent${id}`);
    await leave(session);
    await expect.poll(async () => (await runsOf(session))[0]?.status, patience).toBe('cancelled');
    const running = await start(session, '[[wait:60000]]');
    expect(await caller.run(session, 'x')).toMatchObject(busy);
    const waiting = await start(session, 'waits', { multitask: 'enqueue' });
    await cancel(running);
    await expect.poll(() => statusOf(waiting), patience).toBe('completed');
    const bad = await caller.request('POST', '/api/agents', { ...fieldsOf('other'), multitask: 'perhaps' });
    expect(bad).toMatchObject({ status: 422 });
  });

  test('the header X-On-Disconnect decides for clients that cannot change their bodies', async () => {
    const session = await caller.createSession();
    await leave(session, { 'x-on-disconnect': 'cancel' });
    await expect.poll(async () => (await runsOf(session))[0]?.status, patience).toBe('cancelled');
  });
});

test('/run_sse tells its place in the queue in comments while it waits, and again when it changes', async () => {
  const session = await caller.createSession();
  const [first, second] = [await start(session, '[[wait:60000]]'), await start(session, '[[wait:60000]]')];
  const response = await caller.fetch('POST', '/run_sse', runBody(session, 'last'));
  const comments: string[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (const place of chunk.match(/: queued \d+\n\n/g) ?? []) {
      comments.push(place);
      await cancel(comments.length === 1 ? first : second);
    }
  }
  expect(comments).toEqual([': queued 2\n\n', ': queued 1\n\n']);
  expect(text.replaceAll(/^:.*\n\n/gm, '')).toMatch(/^data: .*"text":"last".*\n\n$/);
});

function fieldsOf(name: string): object {
  return {
    agent_name: name,
    agent_model: 'echo/echo',
    agent_description: '',
    agent_instruction: '',
    agent_type: 'llm',
  };
}
