import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpSink } from '../../../../fakes/smtp-sink.ts';
import { createLane } from '../../clients/lane.ts';

interface Asked {
  readonly email: string;
  readonly isTold: boolean;
}

/** A job of a process that was killed is taken by another one after half a minute. */
const patienceMs = 60_000;

/**
 * Mails that reset a password: none is sent twice. One that auth was sending when it was killed is not sent again, so the share of those that came
 * is judged at the end, see `expectMails`.
 */
export const createMails = (sink: SmtpSink) =>
  createLane<Asked>({
    name: 'mails',
    app: 'echo',
    act: async (client, story) => {
      const email = `${randomUUID()}@example.com`;
      const person = { email, password: 'correct horse battery', first_name: 'Ada', last_name: 'L' };
      // An answer that was lost is followed by one that says that there is such an account.
      const certain = [201, 400, 409, 422];
      const made = await client.until({ method: 'POST', path: '/api/users/', body: person }, certain, story);
      const request = { method: 'POST', path: '/api/auth/forgot-password', body: { email } };
      const isTold = made !== undefined && (await client.until(request, [200], story)) !== undefined;
      await client.pause(1_000);
      return { email, isTold };
    },
    check: async (client, story, { email, isTold }, isLast) => {
      if (!isTold) return undefined;
      const came = () => sink.mails.filter(({ recipients }) => recipients.includes(email)).map(({ text = '' }) => text);
      const giveUpAt = performance.now() + (isLast ? patienceMs : 0);
      while (came().length === 0 && performance.now() < giveUpAt) await sleep(100);
      const texts = came();
      if (texts.length === 0 && !isLast) return 'later';
      client.tally.count('mails asked for');
      if (texts.length > 0) client.tally.count('mails that came');
      if (new Set(texts).size < texts.length) client.tally.violate(story, `a mail to ${email} came twice`);
      return undefined;
    },
  });
