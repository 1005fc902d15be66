import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../../caller.ts';
import type { Client } from '../../clients/client.ts';
import type { Lane } from '../../clients/lane.ts';
import type { RunJson } from '../../clients/runs.ts';
import { Story } from '../../clients/story.ts';
import type { Mailbox } from '../../mail-providers.ts';

interface LogJson {
  readonly email_subject: string | null;
  readonly status: string;
  readonly error_message: string | null;
}

/** The mails of a mailbox, and how far they are known. */
interface Arrivals {
  readonly story: Story;
  /** Subjects of mails whose run has not been seen yet. */
  readonly open: Set<string>;
  /** Mails with a run so far. */
  done: number;
}

/** Longest wait in milliseconds for mails whose notification the provider sends again, and for runs that are tried again. */
const patienceMs = { each: 5_000, last: 240_000 };
const pageSize = 200;
const ended = ['success', 'error', 'skipped'];

/** Mails that come to connected mailboxes of both providers: each has one log, which ends, and one run that completed. */
export function createProviderMails(mailboxes: ReadonlyMap<Caller, readonly Mailbox[]>): Lane {
  const arrivals = new Map<Mailbox, Arrivals>();
  const arrivalsAt = (mailbox: Mailbox, caller: Caller): Arrivals => {
    const known = arrivals.get(mailbox) ?? {
      story: new Story('provider-mails', caller, mailbox.app),
      open: new Set<string>(),
      done: 0,
    };
    arrivals.set(mailbox, known);
    return known;
  };
  return {
    name: 'provider-mails',
    async act(client) {
      const mailbox = client.pick(mailboxes.get(client.caller) ?? []);
      const subject = randomUUID();
      const { story, open } = arrivalsAt(mailbox, client.caller);
      story.note(`${mailbox.provider} gets ${subject}`);
      open.add(subject);
      mailbox.addMail(subject);
      client.tally.count('mails of providers');
      await client.pause(2_000);
    },
    async check(readAs, isLast) {
      const all = Array.from(arrivals, ([mailbox, one]) => judge(readAs(one.story.caller), { mailbox, one, isLast }));
      await Promise.all(all);
    },
  };
}

interface Judged {
  readonly mailbox: Mailbox;
  readonly one: Arrivals;
  readonly isLast: boolean;
}

async function judge(client: Client, { mailbox, one, isLast }: Judged): Promise<void> {
  const { story, open } = one;
  const giveUpAt = performance.now() + (isLast ? patienceMs.last : patienceMs.each);
  let logs = await logsOf(client, story);
  const isOpen = (subject: string): boolean => !ended.includes(logs.get(subject)?.[0]?.status ?? '');
  while ([...open].some(isOpen) && performance.now() < giveUpAt) {
    await sleep(200);
    logs = await logsOf(client, story);
  }
  for (const subject of open) {
    const [log, ...others] = logs.get(subject) ?? [];
    if (others.length > 0) client.tally.violate(story, `mail ${subject} has ${others.length + 1} logs`);
    if (isOpen(subject)) {
      if (isLast) client.tally.violate(story, `mail ${subject} is ${log?.status ?? 'lost'}`);
      continue;
    }
    open.delete(subject);
    one.done += 1;
    client.tally.count(`mails of providers, ${log?.status}`);
    if (log?.status !== 'success') client.tally.violate(story, `mail ${subject}: ${log?.error_message}`);
  }
  await checkRuns(client, mailbox, one);
}

/** Every mail has a session of its own. */
async function checkRuns(client: Client, { app }: Mailbox, { story, open, done }: Arrivals): Promise<void> {
  const runs = await pages<RunJson>(client, story, `/runs?app=${app}&status=completed`, (body) => body as RunJson[]);
  const bySession = Map.groupBy(runs, ({ sessionId }) => sessionId);
  for (const [session, several] of bySession)
    if (several.length > 1) client.tally.violate(story, `the mail of session ${session} has ${several.length} runs`);
  if (bySession.size < done || bySession.size > done + open.size)
    client.tally.violate(story, `${bySession.size} mails have a run, of ${done} and ${open.size} that are open`);
}

/** The logs of the account by the subject of their mail. */
async function logsOf(client: Client, story: Story): Promise<ReadonlyMap<string, readonly LogJson[]>> {
  const read = (body: unknown): LogJson[] => (body as { logs: LogJson[] }).logs;
  const logs = await pages(client, story, '/api/webhooks/logs?', read);
  return Map.groupBy(logs, ({ email_subject: subject }) => subject ?? '');
}

async function pages<Item>(
  client: Client,
  story: Story,
  path: string,
  read: (body: unknown) => Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = '';
  do {
    const page = await client.until({ method: 'GET', path: `${path}&limit=${pageSize}${cursor}` }, [200], story);
    if (page === undefined) return items;
    items.push(...read(page.body));
    const next = page.headers?.get('x-next-cursor') ?? '';
    cursor = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== '');
  return items;
}
