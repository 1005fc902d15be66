import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, sessionPath, textOf } from '../../caller.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

describe('/run', () => {
  test("answers with the agent's events and stores them after the user's", async () => {
    const session = await caller.createSession('echo', { state: { a: 1 } });
    const answer = await caller.run(session, 'hello world', { stateDelta: { b: 2 }, customMetadata: { trace: 'x' } });
    expect(answer.status).toBe(200);
    expect(answer.body.map(textOf)).toEqual(['hello world']);
    const invocationId = answer.headers.get('x-invocation-id');
    expect(invocationId).toMatch(/^e-[0-9a-f-]{36}$/);
    const stored = await caller.readSession(session);
    expect(stored.events).toHaveLength(2);
    expect(stored.events[0]).toMatchObject({
      author: 'user',
      invocationId,
      content: { role: 'user', parts: [{ text: 'hello world' }] },
      actions: { stateDelta: { b: 2 } },
      customMetadata: { trace: 'x' },
    });
    expect(stored.events[1]).toEqual(answer.body[0]);
    expect(stored.events[1]).toMatchObject({ author: 'echo', invocationId, customMetadata: { trace: 'x' } });
    expect(stored.state).toEqual({ a: 1, b: 2 });
    expect(stored.lastUpdateTime).toBe(stored.events[1]?.timestamp);
  });

  test('ignores the field streaming', async () => {
    const session = await caller.createSession();
    const { body } = await caller.run(session, 'one two three', { streaming: true });
    expect(body).toHaveLength(1);
    expect(body[0]?.partial ?? false).toBe(false);
  });

  test('refuses unknown sessions and apps, and a body without message and invocation', async () => {
    const session = await caller.createSession();
    expect(await caller.run({ ...session, id: 'nope' }, 'x')).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/^Session not found/) },
    });
    expect(await caller.run({ ...session, appName: 'nope' }, 'x')).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/^No root_agent found for 'nope'/) },
    });
    const without = await caller.request('POST', '/run', { ...runBody(session, ''), newMessage: undefined });
    expect(without.status).toBe(422);
    expect((await caller.readSession(session)).events).toEqual([]);
  });

  test.each([
    [{ newMessage: { role: 'system', parts: [{ text: 'x' }] } }, ['body', 'newMessage', 'role']],
    [{ appName: undefined }, ['body', 'appName']],
    [{ streaming: 'perhaps' }, ['body', 'streaming']],
    [{ newMessage: { parts: [{ text: 5 }] } }, ['body', 'newMessage', 'parts', 0, 'text']],
  ])('refuses %j and stores nothing', async (over, loc) => {
    const session = await caller.createSession();
    const answer = await caller.run(session, 'x', over);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
    expect((await caller.readSession(session)).events).toEqual([]);
  });

  test('accepts snake_case', async () => {
    const { id, appName, userId } = await caller.createSession();
    const body = { app_name: appName, user_id: userId, session_id: id, new_message: { parts: [{ text: 'hi' }] } };
    expect((await caller.request<[]>('POST', '/run', body)).body).toHaveLength(1);
  });

  test('keeps keys of parts that newer clients send, and takes their options', async () => {
    const parts = [
      { text: 'hi', speechMetadata: { speaker: 'ann' }, mediaProcessing: 'STATIC', newKey: { deep_er: null } },
      { text: ' there', audioTranscription: { text: 'there', words: [{ word: 'there' }] } },
    ];
    const actions = { transferToAgent: 'b', transferReason: 'because' };
    const events = [{ author: 'a', content: { parts: [{ soon: 1 }] }, interactionStatus: 'COMPLETED', actions }];
    const session = await caller.createSession('echo', { events, options: { ttl: 1 } });
    const answer = await caller.run(session, '', { newMessage: { parts }, serviceTier: 'deferred' });
    expect(answer).toMatchObject({ status: 200, body: [{ content: { parts: [{ text: 'hi there' }] } }] });
    const stored = await caller.readSession(session);
    expect(stored.events[0]).toMatchObject(events[0] ?? {});
    expect(stored.events[1]?.content?.parts).toEqual(parts);
  });
});

describe('/run_sse', () => {
  test('sends every whole event once, each as one data line', async () => {
    const session = await caller.createSession();
    const response = await caller.fetch('POST', '/run_sse', runBody(session, 'hello [[tool:get_current_time {}]]'));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(/^(data: \{[^\n]*\}\n\n)+$/);
    const frames = text
      .trim()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.slice(6)) as { id: string });
    const stored = (await caller.readSession(session)).events.slice(1);
    expect(frames).toEqual(stored);
    expect(stored.some((event) => event.content?.parts?.some((part) => 'functionResponse' in part))).toBe(true);
  });

  test('streams partial deltas and then the whole event, and stores only the whole event', async () => {
    const session = await caller.createSession();
    const frames = await caller.runSse(session, 'one two three', { streaming: true });
    const partial = frames.filter((event) => event.partial);
    expect(partial.length).toBeGreaterThan(1);
    expect(partial.map(textOf).join('')).toBe('one two three');
    expect(textOf(frames.at(-1))).toBe('one two three');
    expect(frames.at(-1)?.partial ?? false).toBe(false);
    expect((await caller.readSession(session)).events).toHaveLength(2);
  });

  test('a run goes on when its client disconnects', async () => {
    const session = await caller.createSession();
    for await (const frame of caller.stream(session, 'one [[wait:300]] two', { streaming: true })) {
      expect(frame.author).toBe('echo');
      break;
    }
    await expect.poll(async () => (await caller.readSession(session)).events.length).toBe(2);
    expect((await caller.run(session, 'next')).status).toBe(200);
  });

  test('a model that fails ends the run with a stored, visible event', async () => {
    const session = await caller.createSession();
    const frames = await caller.runSse(session, '[[fail:no more words]]');
    const errorMessage = 'no more words';
    expect(frames).toMatchObject([
      { errorCode: 'ECHO_FAIL', errorMessage },
      { error: `ECHO_FAIL: ${errorMessage}`, error_details: { error_type: 'ECHO_FAIL', error_message: errorMessage } },
    ]);
    expect((await caller.run(session, '[[fail:no more words]]')).body).toMatchObject([{ errorCode: 'ECHO_FAIL' }]);
    const stored = await caller.readSession(session);
    expect(stored.events.at(-1)).toMatchObject({ errorMessage: expect.stringContaining('no more words') });
    expect((await caller.run(session, 'again')).body.map(textOf)).toEqual(['again']);
  });

  test('a session deleted in mid-run ends the run as cancelled', async () => {
    const session = await caller.createSession();
    const frames: unknown[] = [];
    let deleted = false;
    for await (const frame of caller.stream(session, '[[tool:get_current_time {}]] [[wait:60000]] two', {
      streaming: true,
    })) {
      frames.push(frame);
      if (!deleted) await caller.request('DELETE', sessionPath(session));
      deleted = true;
    }
    expect(frames.at(-1)).toMatchObject({ error: expect.any(String) });
    expect((await caller.request('GET', sessionPath(session))).status).toBe(404);
  });
});

describe('an agent', () => {
  test('writes state through its tools, in every scope', async () => {
    const session = await caller.createSession();
    await caller.run(session, '[[state:mood=good]] [[state:user:name=Ada]]');
    expect((await caller.readSession(session)).state).toMatchObject({ mood: 'good', 'user:name': 'Ada' });
  });

  test('waits for a human and goes on with the answer as the same invocation', async () => {
    const session = await caller.createSession();
    const asked = await caller.run(session, '[[tool:request_input {"message":"really?"}]]');
    const call = asked.body.flatMap((event) => (event.longRunningToolIds as string[] | undefined) ?? []);
    expect(call).toHaveLength(1);
    const response = { id: call[0], name: 'request_input', response: { result: 'yes' } };
    const newMessage = { role: 'user', parts: [{ functionResponse: response }] };
    const answered = await caller.run(session, '', { newMessage });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('x-invocation-id')).toBe(asked.headers.get('x-invocation-id'));
    expect(answered.body.map(textOf).join('')).toContain('yes');
  });

  test('made of several runs them in order', async () => {
    const session = await caller.createSession('flow');
    const { body } = await caller.run(session, 'hello');
    expect(body.map((event) => event.author)).toEqual(['first', 'second']);
    expect((await caller.readSession(session)).state).toMatchObject({ heard: 'hello' });
  });

  test('that is invalid answers with the reason, and the other agents stay listed', async () => {
    const session = await caller.createSession('broken');
    const answer = await caller.run(session, 'x');
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('no_such_tool') } });
    const apps = await caller.request<string[]>('GET', '/list-apps?relative_path=./');
    expect(apps.body).toEqual(expect.arrayContaining(['chat', 'echo', 'flow']));
    expect(apps.body).not.toContain('broken');
  });

  test('that is invalid is in the detailed list with its errors', async () => {
    const list = await caller.request<{ apps: Record<string, unknown>[] }>('GET', '/list-apps?detailed=true');
    const mistake = { file: 'root_agent.yaml', line: 4, column: 5, key: 'tools.0.name', reason: expect.any(String) };
    expect(list.body.apps.find(({ name }) => name === 'broken')).toEqual({
      name: 'broken',
      rootAgentName: '',
      description: '',
      language: 'yaml',
      isComputerUse: false,
      agents: null,
      state: 'failed',
      mistakes: [mistake],
    });
    expect(list.body.apps.find(({ name }) => name === 'echo')).toMatchObject({ state: 'ready', mistakes: [] });
  });

  test('with a misspelt name gives an error that suggests the right name', async () => {
    const session = await caller.createSession('gretter');
    const detail = "No root_agent found for 'gretter'. Did you mean 'greeter'?";
    expect(await caller.run(session, 'x')).toMatchObject({ status: 404, body: { detail } });
  });

  test('whose instruction needs a missing state key names that key, and runs once the key is set', async () => {
    const session = await caller.createSession('greeter');
    await caller.run(session, 'x');
    expect((await caller.readSession(session)).events.at(-1)).toMatchObject({
      errorCode: 'TEMPLATE_VARIABLE_MISSING',
      errorMessage: expect.stringMatching(/agent "greeter" \(app "greeter", root_agent\.yaml\) needs \{customer\}/),
    });
    expect(await caller.run(session, 'x', { stateDelta: { customer: 'Ann' } })).toMatchObject({ status: 200 });
  });

  test('describes itself', async () => {
    const info = await caller.request('GET', '/apps/echo/app-info');
    expect(info).toMatchObject({
      status: 200,
      body: {
        name: 'echo',
        rootAgentName: 'echo',
        description: 'Says what it hears.',
        language: 'yaml',
        isComputerUse: false,
      },
    });
    expect(info.body.agents).toMatchObject({ echo: { name: 'echo', instruction: 'Repeat.', sub_agents: [] } });
    expect((await caller.request('GET', '/apps/flow/app-info')).status).toBe(400);
    expect((await caller.request('GET', '/apps/__internal/app-info')).status).toBe(403);
    expect((await caller.request('GET', '/apps/nope/app-info')).status).toBe(404);
  });
});

describe('concurrent runs of one session', () => {
  test('forty, eight at a time, are forty turns in order, none refused', { timeout: 60_000 }, async () => {
    const session = await caller.createSession();
    const waiting = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    const work = async (): Promise<void> => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        const answer = await caller.run(session, text);
        expect([answer.status, answer.body.map(textOf)]).toEqual([200, [text]]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const { events } = await caller.readSession(session);
    expect(events).toHaveLength(80);
    for (let at = 0; at < 80; at += 2) {
      expect(events[at]?.author).toBe('user');
      expect(events[at + 1]?.invocationId).toBe(events[at]?.invocationId);
      expect(textOf(events[at + 1])).toBe(textOf(events[at]));
    }
  });
});
