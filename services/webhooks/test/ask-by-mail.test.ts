import { randomUUID } from 'node:crypto';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askByMail, mailAsker } from '../src/jobs/ask-by-mail.ts';
import { openTestWebhooks, type TestWebhooks } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

const call = { functionCallId: 'c1', name: 'request_input', args: {} };
const waiting = { status: RunStatus.WAITING, waitingForJson: Buffer.from(JSON.stringify([call])) };

test.each([
  { name: 'is asked by mail', run: waiting, asked: 1 },
  { name: 'is not asked any more when the run has been answered meanwhile', run: undefined, asked: 0 },
])('an account whose run waits, while auth is away for days, $name', async ({ run, asked }) => {
  const { db, jobs } = webhooks.context;
  let known: object | undefined = waiting;
  let mails = 0;
  let isAway = true;
  const sendAnswerLink = async () => {
    if (isAway) throw new Error('away');
    mails += 1;
  };
  const asker = mailAsker({ auth: { sendAnswerLink }, sessions: { getRun: async () => ({ run: known }) } } as never);
  const due = (retries: number) =>
    db.query({ text: `update webhooks_jobs.job set retry_count = ${retries}, start_after = now()` });
  await jobs.add(db, askByMail, [{ payload: { accountId: randomUUID(), invocationId: 'e-1', sessionPk: '1' } }]);
  await jobs.drain(askByMail, asker);
  await due(150);
  await jobs.drain(askByMail, asker);
  isAway = false;
  known = run;
  await due(151);
  await jobs.drain(askByMail, asker);
  expect(mails).toBe(asked);
  expect(await db.query({ text: 'select from webhooks_jobs.job' })).toEqual([]);
});
