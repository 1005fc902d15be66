import { databaseWith } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepProcessing } from '../../src/jobs/keep-processing.ts';
import { readMailboxTask } from '../../src/mail/read-mailbox-task.ts';
import type { Processor } from '../../src/mail/processing/processor.ts';
import { leaseEnd } from '../../src/mail/processing/keep-reading.ts';
import { createMailboxReader } from '../../src/mail/processing/read-mailbox.ts';
import type { ProviderClient } from '../../src/mail/provider/create-provider-client.ts';
import type { OpenedProvider } from '../../src/mail/provider/mail-provider.ts';
import { providersOf } from '../../src/mail/provider/providers.ts';
import { beginReading } from '../../src/store/readings.ts';
import {
  notifyGmail,
  notifyGraph,
  openProcessing,
  type OpenProcessing,
  providersOver,
  subscribe,
} from './open-processing.ts';

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

class Died extends Error {}

/** The processor of a process that dies at its `last` step: before or after a call of the database, a provider or a service. */
function dieAt(processor: Processor, last: number): { readonly mortal: Processor; readonly hasDied: () => boolean } {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps >= last) throw new Died();
  };
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    step();
    const result = await call();
    step();
    return result;
  };
  const { db, clock, runs, sessions } = processor;
  const mortalProvider = (provider: OpenedProvider): OpenedProvider => ({
    ...provider,
    fetchMail: (mail) => around(() => provider.fetchMail(mail)),
    fetchAttachment: (...args) => around(() => provider.fetchAttachment(...args)),
  });
  const mortalClient = (client: ProviderClient): ProviderClient => ({
    call: (...args) => around(() => client.call(...args)),
    stream: (...args) => around(() => client.stream(...args)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  const clients = { microsoft: mortalClient(at.clients.microsoft), google: mortalClient(at.clients.google) };
  const mortal: Processor = {
    ...processor,
    db: databaseWith(db, {
      query: (...args) => around(() => db.query(...args)),
      transaction: (work) => around(() => db.transaction(work)),
    }),
    providers: providersOf(providersOver({ db, clock }, clients).map(mortalProvider)),
    runs: { ...runs, startRun: (...args) => around(() => runs.startRun(...args)) },
    sessions: {
      ...sessions,
      getRun: (...args) => around(() => sessions.getRun(...args)),
    },
  };
  return { mortal, hasDied: () => steps >= last };
}

test.each(['microsoft', 'google'] as const)(
  'a process that dies at any step after the notification loses no mail and runs none twice (%s)',
  async (provider) => {
    const signal = new AbortController().signal;
    for (let last = 1; ; last += 1) {
      const { accountId, address } = await subscribe(at, { provider });
      const fake = provider === 'google' ? at.google : at.microsoft;
      const mails = [fake.addMail(address), fake.addMail(address)];
      if (provider === 'google') await notifyGmail(at, address);
      else
        await notifyGraph(
          at,
          address,
          mails.map((mail) => ('immutableId' in mail ? mail.immutableId : '')),
        );
      const text = 'select job_id from mailboxes where account_id = $1';
      const [row] = await at.db.query<{ job_id: string }>({ text }, [accountId]);
      const { mortal, hasDied } = dieAt(at.processor, last);
      const attempt = { jobId: row?.job_id ?? '', number: 1, addedAt: at.clock.now(), signal };
      const read = createMailboxReader(mortal)({ accountId, provider, mailbox: address }, attempt);
      await read.catch((error: unknown) => expect(error).toBeInstanceOf(Died));
      await at.settle();
      await at.advance(31);
      const statuses = async () => (await at.logs.listLogs({ accountId })).logs.map(({ status }) => status);
      // The end of a run is also announced: a consumer may be about to write it.
      await expect.poll(statuses, { message: `died at ${last}` }).toEqual(['success', 'success']);
      const runs = at.siblings.runs.filter((run) => run.accountId === accountId);
      expect({ last, sessions: new Set(runs.map(({ sessionId }) => sessionId)).size, runs: runs.length }).toEqual({
        last,
        sessions: 2,
        runs: 2,
      });
      if (hasDied()) continue;
      expect(last).toBeGreaterThan(30);
      return;
    }
  },
  120_000,
);

test('a mailbox whose reader extends its lease no longer gets another job, which reads it', async () => {
  const { accountId, address } = await subscribe(at, { provider: 'google' });
  at.google.addMail(address);
  await notifyGmail(at, address);
  await at.processor.jobs.drain(readMailboxTask, async (key, { jobId }) => {
    await beginReading(at.db, { ...key, jobId, heldUntil: leaseEnd(at.processor) });
    throw new Error('the process has died');
  });
  const text = 'select job_id from mailboxes where account_id = $1';
  const jobAfter = async (seconds: number): Promise<unknown> => {
    await at.clock.advance(seconds * 1000);
    await keepProcessing(at.processor);
    return (await at.db.query<{ job_id: string }>({ text }, [accountId]))[0]?.job_id;
  };
  const first = await jobAfter(0);
  expect(await jobAfter(5)).toBe(first);
  expect(await jobAfter(2)).not.toBe(first);
  await at.settle();
  const { logs } = await at.logs.listLogs({ accountId });
  expect(logs.map(({ status }) => status)).toEqual(['success']);
});
