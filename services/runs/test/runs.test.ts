import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeActions, toWireEvent } from '@agentmesh/proto/event';
import { RunEndedSchema, AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test, vi } from 'vitest';
import { encode } from './stored-session.ts';
import { everyApp, type ServiceBench, startService } from './start-service.ts';

interface Answers {
  readonly invocationId: string;
  readonly texts: unknown[];
  readonly failure?: string;
}

/** Runs a message and reads the stream to its end. */
async function run(bench: ServiceBench, text: string, options: { streaming?: boolean } = {}): Promise<Answers> {
  const answers = { invocationId: '', texts: [] as unknown[] };
  let failure: string | undefined;
  const messageJson = encode(contentOf(text));
  for await (const { kind } of bench.client.run({ session: bench.key, messageJson, ...options })) {
    if (kind.case === 'accepted') Object.assign(answers, { invocationId: kind.value.invocationId });
    if (kind.case === 'event') answers.texts.push(textOf(kind.value.json));
    if (kind.case === 'failure') failure = kind.value.type;
    if (kind.case === 'moved') failure = `moved after ${kind.value.afterSeq}`;
  }
  return failure === undefined ? answers : { ...answers, failure };
}

function contentOf(text: string) {
  return { role: 'user', parts: [{ text }] };
}

function textOf(json: Uint8Array): unknown {
  const event = JSON.parse(new TextDecoder().decode(json)) as { content?: { parts: { text?: string }[] } };
  return event.content?.parts[0]?.text;
}

describe('Run', () => {
  test('answers accepted first, then what the agent says', async () => {
    await using bench = await startService();
    const answers = await run(bench, 'one two', { streaming: true });
    expect(answers.invocationId).toMatch(/^e-/);
    expect(answers.texts.slice(0, -1).join('')).toBe('one two');
    expect(answers.texts.at(-1)).toBe('one two');
    expect(bench.sessions.calls).toEqual(['beginTurn', 'appendEvents']);
  });

  test('a viewer that leaves does not stop the run', async () => {
    await using bench = await startService();
    const leaving = new AbortController();
    const messageJson = encode({ role: 'user', parts: [{ text: 'slow [[wait:150]] done' }] });
    const read = async (): Promise<void> => {
      for await (const _ of bench.client.run({ session: bench.key, messageJson }, { signal: leaving.signal })) {
        leaving.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'canceled' });
    await bench.settle();
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
    expect(bench.sessions.events(bench.key)).toHaveLength(2);
  });

  test.each([true, false])('runs of one session take turns, in order (hints: %s)', async (hints) => {
    await using bench = await startService({ hints });
    const words = hints ? ['1', '2', '3', '4', '5', '6', '7', '8'] : ['1', '2'];
    const answers = await Promise.all(words.map((word) => run(bench, `${word} [[wait:5]]`)));
    for (const [index, { texts }] of answers.entries()) expect(texts[0]).toContain(words[index]);
    const authors = bench.sessions.events(bench.key).map(({ author }) => author);
    expect(authors).toEqual(words.flatMap(() => ['user', 'echo']));
  });

  test('a turn that could not be claimed at once is claimed a moment later', async () => {
    await using bench = await startService();
    const answers = [run(bench, '1 [[wait:50]]'), run(bench, '2')];
    bench.sessions.emptyClaims = 2;
    expect((await Promise.all(answers)).map(({ texts }) => texts.length)).toEqual([1, 1]);
    // The job that looks for due runs may have claimed the turn in between.
    await expect.poll(() => bench.sessions.emptyClaims).toBeLessThanOrEqual(0);
  });

  test('a run without a viewer is claimed and finished', async () => {
    await using bench = await startService({ hints: false });
    const first = run(bench, 'first [[wait:50]]');
    const leaving = new AbortController();
    const messageJson = encode({ role: 'user', parts: [{ text: 'second' }] });
    const read = async (): Promise<void> => {
      for await (const _ of bench.client.run({ session: bench.key, messageJson }, { signal: leaving.signal }))
        leaving.abort();
    };
    await Promise.all([first, expect(read()).rejects.toMatchObject({ code: 'canceled' })]);
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(4));
  });

  test('the viewer of a queued run is told when it is cancelled', async () => {
    await using bench = await startService({ hints: false });
    const first = run(bench, 'first [[wait:300]]');
    const second = run(bench, 'second');
    await vi.waitFor(() => expect(bench.sessions.run(bench.key).status).toBe('queued'));
    const { invocationId } = bench.sessions.run(bench.key);
    const ended = { accountId: 'a', invocationId, outcome: AttemptEnd_Outcome.CANCELLED };
    bench.sessions.cancel(invocationId);
    await bench.bus.publish(RunEndedSchema, ended);
    expect(await second).toMatchObject({ texts: [], failure: 'RunCancelled' });
    await first;
  });

  test('the viewer of a queued run gets its events when another process executes it', async () => {
    await using bench = await startService({ hints: false });
    const { sessions, ledger, key } = bench;
    sessions.onGranted = (_owner, session, invocationId) => {
      sessions.run(session, invocationId).status = 'running';
    };
    const first = run(bench, 'first [[wait:300]]');
    await vi.waitFor(() => expect(sessions.runs(key)).toHaveLength(1));
    const second = run(bench, 'second');
    await vi.waitFor(() => expect(sessions.runs(key)).toHaveLength(2));
    const { invocationId } = sessions.run(key);
    await first;
    const said = (author: string, text: string) =>
      toWireEvent({
        id: text,
        author,
        invocationId,
        timestamp: 1,
        content: contentOf(text),
        actions: completeActions({}),
      });
    const lastSeq = sessions.events(key).length;
    const end = { outcome: AttemptEnd_Outcome.COMPLETED };
    const events = [said('user', 'second'), said('echo', 'from another process')];
    await ledger.appendEvents({ ...sessions.lease(key), lastSeq, events, end });
    await bench.bus.publish(RunEndedSchema, { accountId: 'a', invocationId, ...end });
    expect(await second).toEqual({ invocationId, texts: ['from another process'] });
  });

  test('a hint that a run has ended changes nothing when the ledger says that it is queued or running', async () => {
    await using bench = await startService();
    const first = run(bench, '1 [[wait:200]]');
    const second = run(bench, '2');
    await vi.waitFor(() => expect(bench.sessions.run(bench.key).status).toBe('queued'));
    for (const { invocationId } of bench.sessions.runs(bench.key)) {
      for (const outcome of [AttemptEnd_Outcome.CANCELLED, AttemptEnd_Outcome.COMPLETED, AttemptEnd_Outcome.FAILED]) {
        await bench.bus.publish(RunEndedSchema, { accountId: 'a', invocationId, outcome });
      }
    }
    for (const { texts, failure } of [await first, await second])
      expect({ failure, texts }).toMatchObject({ failure: undefined, texts: [expect.any(String)] });
  });

  test('a run that is cancelled while it runs is stopped at once', async () => {
    await using bench = await startService();
    const running = run(bench, '[[wait:20000]] late');
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(1));
    const { invocationId } = bench.sessions.run(bench.key);
    bench.sessions.loseTurn(bench.key);
    const ended = { accountId: 'a', invocationId, outcome: AttemptEnd_Outcome.CANCELLED };
    await bench.bus.publish(RunEndedSchema, ended);
    expect(await running).toMatchObject({ texts: [], failure: 'RunCancelled' });
  });

  test('a failing model is shown as an event, and then as a failure that was told', async () => {
    await using bench = await startService();
    const answers = await run(bench, '[[fail:no]]');
    expect(answers).toMatchObject({ texts: [undefined], failure: 'ECHO_FAIL' });
    expect(bench.sessions.run(bench.key).end).toMatchObject({
      outcome: AttemptEnd_Outcome.FAILED,
      errorCode: 'ECHO_FAIL',
    });
  });

  test('is refused before anything is stored', async () => {
    await using bench = await startService({ env: everyApp });
    const call = async (request: object): Promise<void> => {
      for await (const _ of bench.client.run({ session: bench.key, ...request })) break;
    };
    const message = { messageJson: encode({ role: 'user', parts: [{ text: 'x' }] }) };
    const app = (appName: string): object => ({ session: { ...bench.key, appName }, ...message });
    await expect(call(app('ehco'))).rejects.toMatchObject({
      code: 'not_found',
      reason: 'app_not_found',
      message: "No root_agent found for 'ehco'. Did you mean 'echo'?",
    });
    await expect(call(app('__x'))).rejects.toMatchObject({ code: 'permission_denied', reason: 'app_internal' });
    await expect(call({})).rejects.toMatchObject({ reason: 'message_invalid' });
    await expect(call({ messageJson: encode({ parts: [] }) })).rejects.toMatchObject({ reason: 'message_invalid' });
    const elsewhere = { session: { ...bench.key, sessionId: 'none' }, ...message };
    await expect(call(elsewhere)).rejects.toMatchObject({ reason: 'session_not_found' });
    const faulty = { ...elsewhere, messageJson: encode({ parts: [] }) };
    await expect(call(faulty)).rejects.toMatchObject({ reason: 'session_not_found' });
    await expect(call({ session: elsewhere.session })).rejects.toMatchObject({ reason: 'session_not_found' });
    await expect(call({ ...faulty, ...app('nope') })).rejects.toMatchObject({ reason: 'app_not_found' });
    expect(bench.sessions.events(bench.key)).toEqual([]);
  });
});

describe('StartRun', () => {
  const start = (bench: ServiceBench, text: string, over: object = {}) => {
    const messageJson = encode({ role: 'user', parts: [{ text }] });
    return bench.client.startRun({ session: bench.key, messageJson, ...over });
  };

  test('answers when the run is stored, and executes it without a viewer, also after others', async () => {
    await using bench = await startService();
    const first = await start(bench, '[[wait:50]] one', { idempotencyKey: 'k' });
    const second = await start(bench, 'two');
    expect(first).toMatchObject({ already: false, invocationId: expect.stringMatching(/^e-/) });
    expect(bench.sessions.run(bench.key, first.invocationId).request.idempotencyKey).toBe('k');
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(4));
    expect(bench.sessions.run(bench.key, second.invocationId).request.streaming).toBe(false);
  });

  test('is refused like Run', async () => {
    await using bench = await startService();
    await expect(start(bench, 'x', { messageJson: encode({}) })).rejects.toMatchObject({ reason: 'message_invalid' });
    const elsewhere = { session: { ...bench.key, appName: 'nope' } };
    await expect(start(bench, 'x', elsewhere)).rejects.toMatchObject({ reason: 'app_not_found' });
    await bench.drain();
    await expect(start(bench, 'late')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a draining service', () => {
  test('refuses new runs and finishes those in hand', async () => {
    await using bench = await startService();
    const running = run(bench, 'slow [[wait:100]]');
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(1));
    const drained = bench.drain();
    await expect(run(bench, 'late')).rejects.toMatchObject({ code: 'unavailable' });
    await drained;
    expect((await running).texts).toHaveLength(1);
  });

  test('sends viewers of queued runs elsewhere', async () => {
    await using bench = await startService();
    const running = run(bench, 'slow [[wait:500]]');
    const queued = run(bench, 'next');
    await vi.waitFor(() => expect(bench.sessions.run(bench.key).status).toBe('queued'));
    await Promise.all([running, bench.drain()]);
    expect(await queued).toMatchObject({ texts: [], failure: 'moved after 0' });
    expect(bench.sessions.run(bench.key).status).toBe('granted');
  });
});

test('a folder of apps that is not there stops the start', async () => {
  const starting = startService({ env: { AGENTS_DIR: '/nonexistent/agents' } });
  await expect(starting).rejects.toThrow('AGENTS_DIR names a folder that cannot be read: /nonexistent/agents');
});

describe('apps', () => {
  test('ListApps and GetAppInfo describe the samples', async () => {
    await using bench = await startService({ env: everyApp });
    // The service starts without an app in code that takes long to load.
    const apps = async () => {
      const listed = await bench.client.listApps({ accountId: '00000000-0000-0000-0000-000000000000' });
      return listed.apps.map(({ name, language }) => [name, language]);
    };
    await expect.poll(apps).toEqual([
      ['assistant', 'yaml'],
      ['echo', 'yaml'],
      ['weather', 'typescript'],
    ]);
    const { json } = await bench.client.getAppInfo({ appName: 'assistant' });
    expect(JSON.parse(new TextDecoder().decode(json))).toMatchObject({ rootAgentName: 'assistant', language: 'yaml' });
    const echo = await bench.client.getAppInfo({ appName: 'echo' });
    expect(new TextDecoder().decode(echo.json)).not.toContain('set_state');
    await expect(bench.client.getAppInfo({ appName: 'nope' })).rejects.toMatchObject({ reason: 'app_not_found' });
  });

  test('ListApps returns the mistakes of apps that cannot be loaded or that serve an older version', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'agents-'));
    const good = 'name: a\nmodel: echo/x\n';
    for (const name of ['old', 'bad', 'empty']) await mkdir(join(dir, name));
    await writeFile(join(dir, 'old/root_agent.yaml'), good);
    await writeFile(join(dir, 'bad/root_agent.yaml'), `${good}modle: x\n`);
    await using bench = await startService({ env: { ...everyApp, AGENTS_DIR: dir } });
    await writeFile(join(dir, 'old/root_agent.yaml'), `${good}tools: [{}]\n`);
    await vi.waitFor(async () =>
      expect(
        (await bench.client.listApps({ accountId: '00000000-0000-0000-0000-000000000000' })).apps[0]?.mistakes,
      ).not.toEqual([]),
    );
    const { apps, brokenApps } = await bench.client.listApps({ accountId: '00000000-0000-0000-0000-000000000000' });
    expect(apps).toMatchObject([{ name: 'old', rootAgentName: 'a', mistakes: [{ line: 3, key: 'tools.0.name' }] }]);
    expect(brokenApps).toMatchObject([
      { name: 'bad', mistakes: [{ file: 'root_agent.yaml', line: 3, column: 1, key: 'modle' }] },
      { name: 'empty', mistakes: [{ file: '', line: 0, column: 0 }] },
    ]);
    const run = (appName: string) => Array.fromAsync(bench.client.run({ session: { ...bench.key, appName } }));
    await expect(run('bad')).rejects.toMatchObject({
      reason: 'app_not_found',
      message: expect.stringContaining('bad/root_agent.yaml:3:1: modle: is not a key here. Did you mean "model"?'),
    });
    await rm(dir, { recursive: true });
  });
});
