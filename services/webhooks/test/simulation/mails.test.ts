import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  notifyGmail,
  notifyGraph,
  openProcessing,
  type OpenProcessing,
  subscribe,
} from '../processing/open-processing.ts';
import { createRandom } from '../../../../test/fakes/random.ts';

/** `npm run verify` sets it. */
const isFull = process.env.VERIFY === 'full';
const size = isFull ? 10_000 : 300;
const seed = Number(process.env.VERIFY_SEED ?? 1);
const mailboxes = 12;
const batch = 50;

let at: OpenProcessing;
beforeAll(async () => {
  at = await openProcessing();
});
afterAll(() => at[Symbol.asyncDispose]());

type Notify = () => Promise<unknown>;

const disturbed = { withheld: 0, twice: 0, moved: 0 };

/** Withholds 5 % of the notifications, sends 30 % twice, and moves 20 % to another place. */
function disturb(notifications: readonly Notify[], random: () => number): Notify[] {
  const kept = notifications.filter(() => random() >= 0.05);
  const sent = kept.flatMap((notify) => (random() < 0.3 ? [notify, notify] : [notify]));
  disturbed.withheld += notifications.length - kept.length;
  disturbed.twice += sent.length - kept.length;
  for (let from = 0; from < sent.length; from += 1) {
    if (random() >= 0.2) continue;
    disturbed.moved += 1;
    const [moved] = sent.splice(from, 1);
    if (moved !== undefined) sent.splice(Math.floor(random() * (sent.length + 1)), 0, moved);
  }
  return sent;
}

test(`${size} mails with disturbed notifications, failing providers and failing models: each has exactly one successful run`, async () => {
  const random = createRandom(seed);
  const action = { status: 503, body: {} };
  for (const upstream of [at.microsoft.graph, at.google.gmail]) {
    upstream.fault({ times: Number.MAX_SAFE_INTEGER, when: () => random() < 0.1, action });
  }
  at.siblings.decide = () => (random() < 0.1 ? 'UNAVAILABLE' : 'completed');
  const accounts = await Promise.all(
    Array.from({ length: mailboxes }, (_, n) => subscribe(at, { provider: n % 2 === 0 ? 'google' : 'microsoft' })),
  );
  let late: Notify[] = [];
  for (let done = 0; done < size; done += batch) {
    const notifications = Array.from({ length: Math.min(batch, size - done) }, (): Notify => {
      const number = Math.floor(random() * mailboxes);
      const address = accounts[number]?.address ?? '';
      if (number % 2 === 1) {
        const { immutableId } = at.microsoft.addMail(address);
        return () => notifyGraph(at, address, [immutableId]);
      }
      at.google.addMail(address);
      const historyId = String(at.google.world.mailboxOf(address).historyId);
      return () => notifyGmail(at, address, historyId);
    });
    const sent = disturb([...late, ...notifications], random);
    late = sent.splice(Math.floor(sent.length * 0.9));
    await Promise.all(sent.map((notify) => notify()));
    await at.advance(20);
  }
  await Promise.all(late.map((notify) => notify()));
  for (let hour = 0; hour < 3; hour += 1) for (let n = 0; n < 6; n += 1) await at.advance(610);
  process.stderr.write(
    `mail simulation: ${JSON.stringify({ seed, mails: size, ...disturbed, starts: at.siblings.runs.length })}\n`,
  );
  const text = `select status, count(*)::int as logs, count(distinct (account_id, message_id))::int as mails from logs group by 1`;
  expect(await at.db.query({ text })).toEqual([{ status: 'success', logs: size, mails: size }]);
  const completed = at.siblings.runs.filter(({ status }) => status === RunStatus.COMPLETED);
  expect(completed).toHaveLength(size);
  expect(new Set(completed.map(({ sessionId }) => sessionId)).size).toBe(size);
}, 3_600_000);
