import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { type SmtpSink, startSmtpSink } from '../fakes/smtp-sink.ts';
import { makeAgent } from '../e2e/agents/make-agent.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
const log = createLogger({ level: 'silent', name: 'test' });
let sink: SmtpSink;
let mesh: TestMesh;
let db: Database;
let recipientHangs = false;
let reached = 0;

beforeAll(async () => {
  sink = resources.use(
    await startSmtpSink({
      onRcptTo: (_address, _session, callback) => {
        reached += 1;
        if (!recipientHangs) callback();
      },
    }),
  );
  const { url } = resources.use(await testDatabaseUrl());
  const env = { SMTP_URL: sink.url, MAIL_FROM: 'mesh@example.org' };
  mesh = resources.use(await startMesh({ mode: 'separate', apart: ['auth', 'webhooks'], databaseUrl: url, env }));
  const migrations = new URL('../../services/auth/migrations/', import.meta.url);
  db = resources.use(await openDatabase({ service: 'auth', url, poolSize: 2, migrations }, log));
});
afterAll(() => resources.disposeAsync());

/** Backdates the last heartbeat of a dead process, before another one could take its jobs over: that would take 15 seconds. */
async function passHeartbeat(): Promise<void> {
  await db.query({
    text: `update auth_jobs.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`,
  });
}

/** Starts auth again, and waits until the gateway can reach it. */
async function restarted(): Promise<void> {
  await mesh.restart();
  const ready = async (): Promise<number> => (await new Caller(mesh.url).request('GET', '/readyz')).status;
  await expect.poll(ready, { timeout: 60_000 }).toBe(200);
}

const left = async (): Promise<unknown> => (await db.query({ text: 'select from auth_jobs.job' })).length;

async function newAddress(): Promise<string> {
  const caller = await newAccount(mesh.url);
  return (await caller.request<{ email: string }>('GET', '/api/users/me')).body.email;
}

async function forget(): Promise<string> {
  const email = await newAddress();
  await new Caller(mesh.url).request('POST', '/api/auth/forgot-password', { email });
  return email;
}

test('after kill -9 of auth in the middle of sending mails, one that the server has received completely is not sent again, one that it cannot have received is sent once, and so is a queued one', {
  timeout: 180_000,
}, async () => {
  sink.failNext('hang');
  const received = await forget();
  await expect.poll(() => sink.seen).toBe(1);
  const queued = await newAddress();
  recipientHangs = true;
  const withheld = await forget();
  await expect.poll(() => reached).toBe(2);
  await mesh.kill('auth');
  recipientHangs = false;
  const add = `insert into auth_jobs.job (name, data) values ('send-mail', jsonb_build_object('kind', 'reset', 'address', $1::text))`;
  await db.query({ text: add }, [queued]);
  expect(await left()).toBe(3);
  await passHeartbeat();
  await restarted();
  await expect.poll(left, { timeout: 60_000 }).toBe(0);
  const sentTo = (address: string) => sink.mails.filter(({ recipients }) => recipients.includes(address));
  expect([received, withheld, queued].map((address) => sentTo(address).length)).toEqual([0, 1, 1]);
  expect(sink.seen).toBe(3);
});

/** Makes an agent of a new account with a proven address whose run waits, and asks by mail. */
async function askByMail(): Promise<void> {
  const caller = await newAccount(mesh.url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  await db.query({ text: 'update accounts set email_verified_at = now() where email = $1' }, [email]);
  const agent = await makeAgent(caller, { agent_tools: ['request_input'], answer_mail: true });
  const session = await caller.createSession(`agent${agent}`);
  expect((await caller.run(session, '[[tool:request_input {}]]')).status).toBe(200);
}

test('a run that waits and asks by mail sends one mail, though webhooks is away when it begins to wait, and auth is killed while it sends', {
  timeout: 180_000,
}, async () => {
  const [seen, sent] = [sink.seen, sink.mails.length];
  await mesh.kill('webhooks');
  await askByMail();
  sink.failNext('hang');
  await mesh.restart();
  await expect.poll(() => sink.seen, { timeout: 60_000 }).toBe(seen + 1);
  await mesh.kill('auth');
  await passHeartbeat();
  await restarted();
  await expect.poll(left, { timeout: 60_000 }).toBe(0);
  await askByMail();
  await expect.poll(() => sink.mails.length, { timeout: 60_000 }).toBe(sent + 1);
  expect(sink.seen).toBe(seen + 2);
});
