import { AttemptEnd_Outcome, RunStatus } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, completed, driveTurns, waitingFor } from './drive-turns.ts';
import { agentEvent, beginWith, json, newKey, parse, startSessionsForFile } from '../sessions.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase, getRun, sessionIn } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

async function runToEnd(session: Key, end: object = completed): Promise<string> {
  const turn = await begin(session, 'hello');
  await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'done')], end));
  return turn.invocationId;
}

describe('a run of the ledger', () => {
  test('is found by its account from acceptance to end, with its times', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one', { customMetadataJson: json({ from: 'test' }) });
    const { accountId: _, ...names } = session;
    const running = await getRun(session, turn.invocationId);
    expect(running).toMatchObject({ ...names, status: RunStatus.RUNNING, attempt: 1, queuePosition: 0, endTime: 0 });
    expect(running && JSON.parse(Buffer.from(running.customMetadataJson).toString())).toEqual({ from: 'test' });
    expect(running?.startTime).toBe(running?.createTime);
    const failed = { outcome: AttemptEnd_Outcome.FAILED, errorCode: 'E', errorMessage: 'because' };
    await service.client.appendEvents(appendTo(turn, [], failed));
    const ended = await getRun(session, turn.invocationId);
    expect(ended).toMatchObject({ status: RunStatus.FAILED, errorCode: 'E', errorMessage: 'because' });
    expect(ended?.endTime).toBeGreaterThanOrEqual(ended?.startTime ?? Infinity);
  });

  test('sums up what its attempts have used, and tells what it waits for while it waits', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const waitingForJson = json([{ functionCallId: 'c', name: 'ask', eventId: 'e' }]);
    const waiting = { outcome: AttemptEnd_Outcome.WAITING, model: 'm1', usageJson: json({ modelCalls: 1, a: 2 }) };
    await service.client.appendEvents(appendTo(first, [], { ...waiting, waitingForJson }));
    const { invocationId } = first;
    const waitingRun = await getRun(session, invocationId);
    expect(waitingRun).toMatchObject({ status: RunStatus.WAITING, model: 'm1', waitingForJson });
    const second = await begin(session, 'two', { invocationId });
    expect(second.waitingForJson).toEqual(waitingForJson);
    const running = await getRun(session, invocationId);
    expect(running?.waitingForJson).toHaveLength(0);
    const usageJson = json({ modelCalls: 2, b: 3 });
    await service.client.appendEvents(appendTo(second, [], { ...completed, usageJson }));
    const ended = await getRun(session, invocationId);
    expect(ended).toMatchObject({ status: RunStatus.COMPLETED, model: 'm1', attempt: 2 });
    expect(parse<object>(ended?.usageJson ?? json({}))).toEqual({ modelCalls: 3, a: 2, b: 3 });
    expect(ended?.waitingForJson).toHaveLength(0);
  });

  test.each([
    [{ a: 1, b: 'x', c: null, d: { e: 1 } }, { a: 1 }],
    ['x', {}],
    [null, {}],
  ])('ends whatever is stored as its use: %j', async (stored, before) => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const { invocationId, sessionPk } = first;
    await service.client.appendEvents(appendTo(first, [], waitingFor(['call'])));
    await askDatabase('update runs set usage = $1 where session_pk = $2', [JSON.stringify(stored), sessionPk]);
    const second = await begin(session, 'two', { invocationId });
    expect(parse(second.usedJson)).toEqual(before);
    await service.client.appendEvents(appendTo(second, [], { ...completed, usageJson: json({ modelCalls: 2 }) }));
    const ended = await getRun(session, invocationId);
    expect(parse(ended?.usageJson ?? json({}))).toEqual({ ...before, modelCalls: 2 });
  });

  test('tells its place in the queue, which includes a granted run', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const ids: string[] = [];
    for (const text of ['two', 'three'])
      ids.push((await service.client.beginTurn(beginWith(session, text))).invocationId);
    const places = () => Promise.all(ids.map(async (id) => (await getRun(session, id))?.queuePosition));
    expect(await places()).toEqual([1, 2]);
    await service.client.appendEvents(appendTo(first, [], completed));
    expect(await places()).toEqual([1, 2]);
    await service.client.claimRuns({ owner: 'o', window: 1, session, invocationId: ids[0] ?? '' });
    expect(await places()).toEqual([0, 1]);
  });

  test('answers another account or another user as if it did not exist', async () => {
    const session = await newSession();
    const { invocationId } = await begin(session, 'one');
    await expect(getRun(newKey(), invocationId)).rejects.toMatchObject({ reason: 'run_not_found' });
    await expect(getRun(session, invocationId, 'u2')).rejects.toMatchObject({ reason: 'run_not_found' });
    await expect(getRun(session, 'a\0b')).rejects.toMatchObject({ reason: 'run_not_found' });
    expect(await getRun(session, invocationId, 'u1')).toBeDefined();
  });

  test.each([false, true])(
    'is found among those with its id by its app and session, with its output: %s',
    async (withOutput) => {
      const { accountId } = newKey();
      const invocationId = 'job-1';
      const first = await sessionIn({ accountId });
      await begin(first, 'one', { invocationId });
      const second = await sessionIn({ accountId, appName: 'other', sessionId: 's2' });
      await begin(second, 'two', { invocationId });
      const find = async (names: object) => {
        const { run } = await service.client.getRun({ accountId, invocationId, withOutput, ...names });
        return run?.sessionId;
      };
      const { appName, sessionId } = first;
      expect(await find({ appName, sessionId })).toBe(sessionId);
      expect(await find({ appName })).toBe(sessionId);
      expect(await find({})).toBe('s2');
      await expect(find({ appName, sessionId: 's2' })).rejects.toMatchObject({ reason: 'run_not_found' });
    },
  );

  test('stays when its session is deleted, as cancelled if it had not ended', async () => {
    const session = await newSession();
    const { invocationId } = await begin(session, 'one');
    await service.client.deleteSession({ session });
    expect(await getRun(session, invocationId)).toMatchObject({ status: RunStatus.CANCELLED, userId: 'u1' });
  });

  test('is not among those whose answer is overdue when its session is deleted', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await service.client.appendEvents(appendTo(turn, [], waitingFor(['ask'], 1_000)));
    const watched = () =>
      askDatabase('select from runs where session_pk = $1 and answer_by is not null', [turn.sessionPk]);
    expect(await watched()).toHaveLength(1);
    await service.client.deleteSession({ session });
    expect(await watched()).toEqual([]);
  });
});

describe('a list of runs', () => {
  test('goes from the newest to the oldest, page by page, and takes filters', async () => {
    const { accountId } = newKey();
    const ids: string[] = [];
    for (const over of [{}, { userId: 'u2' }, { appName: 'other' }, { appName: 'other', userId: 'u2' }, {}]) {
      ids.unshift(await runToEnd(await sessionIn({ accountId, ...over })));
    }
    const open = await begin(await sessionIn({ accountId }), 'open');
    ids.unshift(open.invocationId);
    const list = async (filter: object = {}): Promise<string[]> => {
      const found: string[] = [];
      let after: { createdAt: bigint; position: bigint } | undefined;
      do {
        const page = await service.client.listRuns({ accountId, limit: 2, ...filter, ...(after && { after }) });
        found.push(...page.runs.map(({ invocationId }) => invocationId));
        after = page.last;
      } while (after !== undefined);
      return found;
    };
    const at = (...places: number[]) => places.map((place) => ids[place]);
    expect(await list()).toEqual(ids);
    expect(await list({ appName: 'other' })).toEqual(at(2, 3));
    expect(await list({ userId: 'u2' })).toEqual(at(2, 4));
    expect(await list({ userId: 'u2', appName: 'echo' })).toEqual(at(4));
    expect(await list({ statuses: [RunStatus.RUNNING, RunStatus.QUEUED] })).toEqual(at(0));
    expect(await list({ statuses: [RunStatus.RUNNING], appName: 'other' })).toEqual([]);
    expect(await list({ statuses: [RunStatus.COMPLETED], appName: 'echo' })).toEqual(at(1, 4, 5));
    const { run: third } = await service.client.getRun({ accountId, invocationId: ids[2] ?? '' });
    expect(await list({ since: third?.createTime ?? 0 })).toEqual(at(0, 1, 2));
    expect(await list({ appName: 'echo', since: third?.createTime ?? 0 })).toEqual(at(0, 1));
    expect(await list({ appName: 'a\0' })).toEqual([]);
  });

  test('of a session needs that session', async () => {
    const session = await newSession();
    const ids = [await runToEnd(session), await runToEnd(session)];
    await runToEnd(await sessionIn({ ...session, sessionId: 'another' }));
    const { runs } = await service.client.listRuns(session);
    expect(runs.map(({ invocationId }) => invocationId)).toEqual(ids.toReversed());
    expect((await service.client.listRuns({ ...session, statuses: [RunStatus.FAILED] })).runs).toEqual([]);
    const missing = { ...session, sessionId: 'missing' };
    await expect(service.client.listRuns(missing)).rejects.toMatchObject({ reason: 'session_not_found' });
  });

  test('of a session id finds the runs of all sessions with this id, of the named app or user', async () => {
    const session = await newSession();
    const { accountId, sessionId } = session;
    const elsewhere = { appName: 'other', userId: 'u2' };
    const ids = [await runToEnd(session), await runToEnd(await sessionIn({ ...session, ...elsewhere }))];
    await runToEnd(await sessionIn({ ...session, sessionId: 'another' }));
    const list = async (filter: object) =>
      (await service.client.listRuns({ accountId, sessionId, ...filter })).runs.map((run) => run.invocationId);
    const [first, second] = ids;
    expect(await list({})).toEqual([second, first]);
    expect(await list({ statuses: [RunStatus.COMPLETED], appName: 'other' })).toEqual([second]);
    expect(await list({ userId: session.userId })).toEqual([first]);
    expect(await list({ statuses: [RunStatus.RUNNING] })).toEqual([]);
    expect(await list({ sessionId: 'missing' })).toEqual([]);
    expect(await list({ accountId: newKey().accountId })).toEqual([]);
  });

  test('ends a page after it has read 5000 runs, and says where the next page begins', async () => {
    const session = await newSession();
    const oldest = await runToEnd(session, { outcome: AttemptEnd_Outcome.FAILED });
    await askDatabase(
      `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
       select account_id, app_name, user_id, session_id, session_pk, 'e-' || n, 'completed', owner, now()
       from runs, generate_series(1, 5500) n where account_id = $1`,
      [session.accountId],
    );
    const filter = { accountId: session.accountId, appName: 'echo', statuses: [RunStatus.FAILED] };
    const first = await service.client.listRuns(filter);
    expect(first.runs).toEqual([]);
    const second = await service.client.listRuns({ ...filter, after: first.last });
    expect(second.runs.map(({ invocationId }) => invocationId)).toEqual([oldest]);
    expect(second.last).toBeUndefined();
    const { accountId, sessionId } = session;
    const found: string[] = [];
    let after: typeof second.last;
    do {
      const page = await service.client.listRuns({ accountId, sessionId, ...(after && { after }), limit: 400 });
      found.push(...page.runs.map(({ invocationId }) => invocationId));
      after = page.last;
    } while (after !== undefined);
    expect([found.length, new Set(found).size, found.at(-1)]).toEqual([5501, 5501, oldest]);
    const ofNone = { accountId, sessionId: 'none' };
    const none = await service.client.listRuns(ofNone);
    expect([none.runs, none.last === undefined]).toEqual([[], false]);
    expect(await service.client.listRuns({ ...ofNone, after: none.last })).toMatchObject({ runs: [] });
  });
});

test('a summary names the newest run and counts the active ones of each app', async () => {
  const { accountId } = newKey();
  const busy = await sessionIn({ accountId });
  await begin(busy, 'one');
  await service.client.beginTurn(beginWith(busy, 'two'));
  const last = await runToEnd(await sessionIn({ accountId, appName: 'calm' }), { outcome: AttemptEnd_Outcome.WAITING });
  const { apps } = await service.client.summarizeRuns({ accountId, appNames: ['echo', 'calm', 'none', 'none'] });
  const byName = Object.fromEntries(apps.map((app) => [app.appName, app]));
  expect(Object.keys(byName)).toHaveLength(3);
  expect(byName.echo).toMatchObject({ active: 2, lastRun: { status: RunStatus.QUEUED } });
  expect(byName.calm).toMatchObject({ active: 0, lastRun: { invocationId: last, status: RunStatus.WAITING } });
  expect(byName.none?.active).toBe(0);
  expect(byName.none?.lastRun).toBeUndefined();
});
