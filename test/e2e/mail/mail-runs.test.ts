import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type MailMesh, type MailWord, openMailMesh, subscribe } from './open-mail-mesh.ts';

interface LogJson {
  readonly id: number;
  readonly status: string;
  readonly email_subject: string | null;
  readonly email_sender: string | null;
  readonly agent_message: string | null;
  readonly agent_response: string | null;
  readonly error_message: string | null;
}

let opened: MailMesh;
let made = 0;

beforeAll(async () => {
  opened = await openMailMesh({
    // Eight attempts outlast processes that take a while to start.
    WEBHOOK_RETRY_SECONDS: '1,2,5,10,30',
    WEBHOOK_RENEWAL_INTERVAL_SECONDS: '2',
  });
});
beforeEach(() => {
  opened.microsoft.delivery = 'post';
  opened.google.delivery = 'push';
  // A fault that a failed test has left would strike the next one.
  for (const api of [opened.microsoft.graph, opened.google.gmail]) api.reset();
});
afterAll(() => opened[Symbol.asyncDispose]());

const timeout = 90_000;
const soon = { timeout: 40_000, interval: 200 };

async function logsOf(caller: Caller): Promise<LogJson[]> {
  return (await caller.request<{ logs: LogJson[] }>('GET', '/api/webhooks/logs?limit=200')).body.logs;
}

/** The subjects of an account's logs with their statuses, sorted: one for each mail when nothing ran twice. */
async function outcomes(caller: Caller): Promise<string[]> {
  return (await logsOf(caller)).map((log) => `${log.email_subject} ${log.status}`).toSorted();
}

/** Number of runs of the account that have succeeded. */
async function completedRuns(caller: Caller): Promise<number> {
  const { body } = await caller.request<{ status: string }[]>('GET', '/runs');
  return body.filter(({ status }) => status === 'completed').length;
}

const subscriptionPath = (id: number): string => `/api/webhooks/subscriptions/${id}`;

const successes = (subjects: readonly string[]): string[] => subjects.map((subject) => `${subject} success`).toSorted();

const words = ['microsoft_outlook', 'google_gmail'] as const;
const fakeOf = (word: MailWord) => (word === 'google_gmail' ? opened.google : opened.microsoft);

/** A new account with a mailbox of its own that is subscribed. */
async function residentOf(word: MailWord): Promise<{ caller: Caller; address: string; id: number }> {
  made += 1;
  const address = `ada${made}@mail.example`;
  const caller = await opened.connected(word, address);
  const { id } = await subscribe(caller, word);
  return { caller, address, id };
}

function addMailsAt(word: MailWord, address: string, subjects: readonly string[]): void {
  for (const subject of subjects) fakeOf(word).addMail(address, { subject, text: 'Hello' });
}

describe.each(words)('%s', (word) => {
  const isGoogle = word === 'google_gmail';
  const resident = () => residentOf(word);
  const addMails = (address: string, subjects: readonly string[]): void => addMailsAt(word, address, subjects);

  const subscriptionAt = (address: string) =>
    Array.from(opened.microsoft.world.subscriptions.values()).find(({ user }) => user.address === address) ??
    expect.fail('nothing is registered');

  test('mail that arrives runs the agent once, and its log tells what was done', { timeout }, async () => {
    const { caller, address } = await resident();
    const mail = { subject: 'Bill 7', text: 'Pay $sender {{ subject }} now' };
    if (isGoogle) opened.google.addMail(address, mail);
    else opened.microsoft.addMail(address, mail);
    await expect.poll(() => outcomes(caller), soon).toEqual(['Bill 7 success']);
    const [log] = await logsOf(caller);
    expect(log?.email_sender).toContain('grace@example.org');
    expect(log?.agent_message).toContain('Pay $sender {{ subject }} now');
    expect(log?.agent_response).toContain('Bill 7');
    const notices = async () => (await caller.request('GET', '/api/notifications')).body;
    await expect.poll(notices, soon).toMatchObject({ notifications: [{ title: 'Bill 7' }] });
    const stranger = await newAccount(opened.mesh.url);
    expect(await logsOf(stranger)).toEqual([]);
    expect((await stranger.request('GET', `/api/webhooks/logs/${log?.id}`)).status).toBe(404);
  });

  test('notifications that come twice, in another order or not at all give one run for each mail', {
    timeout,
  }, async () => {
    const { caller, address } = await resident();
    const subjects = ['a', 'b', 'c', 'd', 'e', 'f'];
    if (isGoogle) {
      opened.google.delivery = 'keep';
      opened.google.kept.length = 0;
      addMails(address, subjects);
      const [, second, third] = opened.google.kept;
      for (const message of [third, second, third]) opened.google.push(message ?? expect.fail('nothing was published'));
    } else {
      opened.microsoft.delivery = 'keep';
      opened.microsoft.kept.length = 0;
      addMails(address, subjects);
      const [first, second, third, fourth] = opened.microsoft.kept.splice(0);
      for (const item of [third, first, second, fourth, third]) opened.microsoft.post(item === undefined ? [] : [item]);
      opened.microsoft.sendLifecycle(subscriptionAt(address), 'missed');
    }
    await expect.poll(() => outcomes(caller), soon).toEqual(successes(subjects));
    expect(await completedRuns(caller)).toBe(subjects.length);
  });

  test('mail is found after the history or the cursor is gone', { timeout }, async () => {
    const { caller, address } = await resident();
    addMails(address, ['first']);
    await expect.poll(() => outcomes(caller), soon).toEqual(successes(['first']));
    if (isGoogle) {
      opened.google.delivery = 'keep';
      addMails(address, ['lost']);
      opened.google.trimHistory(address);
      opened.google.delivery = 'push';
      addMails(address, ['last']);
    } else {
      opened.microsoft.delivery = 'keep';
      addMails(address, ['lost', 'last']);
      opened.microsoft.killDeltaCursors();
      opened.microsoft.sendLifecycle(subscriptionAt(address), 'missed');
    }
    await expect.poll(() => outcomes(caller), soon).toEqual(successes(['first', 'lost', 'last']));
  });

  test('a provider that fails for a while delays the run', { timeout }, async () => {
    const { caller, address } = await resident();
    const api = isGoogle ? opened.google.gmail : opened.microsoft.graph;
    api.fault({ method: 'GET', path: /messages|history/, times: 2, action: { status: 503 } });
    addMails(address, ['patience']);
    await expect.poll(() => outcomes(caller), soon).toEqual(successes(['patience']));
  });

  test('mail for an agent that was deleted is an error, which the subscription and a notification tell', {
    timeout,
  }, async () => {
    const { caller, address, id } = await resident();
    const { agent_id: agentId } = (await caller.request<{ agent_id: number }>('GET', subscriptionPath(id))).body;
    expect((await caller.request('DELETE', `/api/agents/${agentId}`)).status).toBe(200);
    addMails(address, ['nobody']);
    await expect.poll(() => outcomes(caller), soon).toEqual(['nobody error']);
    const lastError = expect.stringContaining(`The agent ${agentId} does not exist any more`);
    expect((await caller.request('GET', subscriptionPath(id))).body).toMatchObject({
      status: 'active',
      last_error: lastError,
    });
    const notices = async () => (await caller.request('GET', '/api/notifications')).body;
    await expect.poll(notices, soon).toMatchObject({ notifications: [{ message: lastError }] });
  });

  test('a disabled subscription runs nothing, and mail from then is not run later', { timeout }, async () => {
    const { caller, address, id } = await resident();
    const setStatus = (status: string) => caller.request('PATCH', `/api/webhooks/subscriptions/${id}`, { status });
    const fake = isGoogle ? opened.google : opened.microsoft;
    await setStatus('disabled');
    // The margin for clocks that differ is two minutes.
    const receivedAt = new Date(Date.now() - 600_000);
    fake.addMail(address, { subject: 'while disabled', text: 'Hello', receivedAt });
    await fake.settle();
    await setStatus('active');
    addMails(address, ['afterwards']);
    await expect.poll(() => outcomes(caller), soon).toContain('afterwards success');
    expect(await outcomes(caller)).not.toContain('while disabled success');
  });
});

/** Backdates the last heartbeat of the killed webhooks, before another process could take its jobs over: that would take 15 seconds. */
async function passHeartbeat(): Promise<void> {
  const client = new pg.Client({ connectionString: opened.databaseUrl });
  await client.connect();
  await client.query(`update webhooks_jobs.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`);
  await client.end();
}

const victims = inject('mode') === 'all' ? ['everything'] : ['everything', 'webhooks', 'runs'];
test.each(victims)(
  'killing %s after the acknowledgement loses no mail and runs none twice, at both providers',
  { timeout: 240_000 },
  async (victim) => {
    const residents = await Promise.all(words.map(residentOf));
    const subjects = ['one', 'two', 'three', 'four'];
    for (const [index, { address }] of residents.entries())
      addMailsAt(words[index] ?? 'google_gmail', address, subjects);
    await Promise.all(words.map((word) => fakeOf(word).settle()));
    await opened.mesh.kill(victim === 'everything' ? undefined : victim);
    if (victim !== 'runs') await passHeartbeat();
    await opened.mesh.restart();
    for (const { caller } of residents) {
      await expect.poll(() => outcomes(caller), { ...soon, timeout: 120_000 }).toEqual(successes(subjects));
      expect(await completedRuns(caller)).toBe(subjects.length);
    }
  },
);
