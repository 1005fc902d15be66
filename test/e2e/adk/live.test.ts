import { once } from 'node:events';
import { expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { newAccount, sessionPath } from '../../caller.ts';

test('test_cancel_live_run_interrupts_agent', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const session = await caller.createSession();
  const query = new URLSearchParams({ app_name: session.appName, user_id: session.userId, session_id: session.id });
  const headers = { authorization: `Bearer ${caller.token}` };
  const socket = new WebSocket(`${inject('meshUrl').replace('http', 'ws')}/run_live?${query.toString()}`, { headers });
  await once(socket, 'open');
  socket.send(JSON.stringify({ content: { parts: [{ text: 'started [[wait:60000]]' }] } }));
  const [first] = (await once(socket, 'message')) as [Buffer];
  expect(first.toString()).toContain('started');
  expect((await caller.request('POST', `${sessionPath(session)}:cancel`)).status).toBe(200);
  const runs = () => caller.request<{ status: string }[]>('GET', `${sessionPath(session)}/runs`);
  await expect.poll(async () => (await runs()).body[0]?.status).toBe('cancelled');
  socket.terminate();
});
