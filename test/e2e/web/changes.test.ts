import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';

const url = inject('meshUrl');

interface Frame {
  readonly event: string | undefined;
  readonly id: string;
  readonly change: Partial<Record<'kind' | 'id' | 'op' | 'app_name' | 'user_id' | 'session_id', string>>;
}

interface Run {
  readonly invocationId: string;
}

interface Watch extends AsyncDisposable {
  readonly frames: Frame[];
  /** Waits for a change with these fields. */
  see(change: Frame['change']): Promise<void>;
}

async function watch({ token }: Caller, last?: string): Promise<Watch> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': last }) };
  const response = await fetch(`${url}/api/changes`, { headers, signal: leaving.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const frames: Frame[] = [];
  const onEvent = ({ event, id = '', data }: EventSourceMessage): void => {
    frames.push({ event, id, change: JSON.parse(data) as Frame['change'] });
  };
  const parser = createParser({ onEvent });
  const reading = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(text);
  })().catch(() => undefined);
  return {
    frames,
    see: (change) =>
      expect
        .poll(() => frames.map((it) => it.change), { timeout: 20_000 })
        .toContainEqual(expect.objectContaining(change)),
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await reading;
    },
  };
}

test('runs, waits, notifications, agents and schedules of the account are told, by kind and id, and runs and waits by session', async () => {
  const [ada, bob] = [await newAccount(url), await newAccount(url)];
  await using watching = await watch(ada);
  await using other = await watch(bob);
  const id = await makeAgent(ada, { agent_name: 'changing' });
  const { appName, userId, id: sessionId } = await ada.createSession('echo');
  const newMessage = { role: 'user', parts: [{ text: '[[tool:request_input {}]]' }] };
  const { body } = await ada.request<Run>('POST', '/runs', { appName, userId, sessionId, newMessage });
  const run = body.invocationId;
  const place = { app_name: appName, user_id: userId, session_id: sessionId };
  await watching.see({ kind: 'agent', id: String(id), op: 'added' });
  await watching.see({ kind: 'run', id: run, op: 'added', ...place });
  await watching.see({ kind: 'wait', id: run, op: 'added' });
  await ada.request('POST', `/runs/${run}/cancel`, {});
  await watching.see({ kind: 'wait', id: run, op: 'removed', ...place });
  await watching.see({ kind: 'run', id: run, op: 'changed' });
  await watching.see({ kind: 'notification', op: 'added' });
  const schedule = {
    cron: '0 0 1 1 *',
    appName: 'echo',
    userId: 'u',
    newMessage: { role: 'user', parts: [{ text: 'x' }] },
  };
  const { body: planned } = await ada.request<{ id: string }>('POST', '/api/schedules', schedule);
  await watching.see({ kind: 'schedule', id: planned.id, op: 'added' });
  await ada.request('DELETE', `/api/agents/${id}`);
  await watching.see({ kind: 'agent', id: String(id), op: 'removed' });
  expect(watching.frames[0]).toMatchObject({ event: 'gap', change: {} });
  expect(other.frames.map((it) => it.event)).toEqual(['gap']);
});

test('a stream that was cut goes on behind Last-Event-ID, and begins with a gap where that place is unknown', async () => {
  const ada = await newAccount(url);
  let first: Frame | undefined;
  {
    await using watching = await watch(ada);
    await expect.poll(() => watching.frames.length).toBe(1);
    first = watching.frames[0];
  }
  const id = await makeAgent(ada, { agent_name: 'missed' });
  await using resumed = await watch(ada, first?.id);
  await resumed.see({ kind: 'agent', id: String(id), op: 'added' });
  expect(resumed.frames.filter(({ event }) => event === 'gap')).toEqual([]);
  await using unknown = await watch(ada, 'elsewhere-7');
  await expect.poll(() => unknown.frames.map((it) => it.event)).toEqual(['gap']);
});

test('without a token nothing is told', async () => {
  expect((await fetch(`${url}/api/changes`)).status).toBe(401);
});
