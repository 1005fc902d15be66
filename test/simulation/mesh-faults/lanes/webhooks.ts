import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openMessage, type ReceivedMessage, type WebhookReceiver } from '../../../fakes/webhook-receiver.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import { checkLedger, endedRun, type RunJson, startRun } from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';

interface Told {
  readonly path: string;
  readonly secret: string;
  /** Messages that the server has refused: they have told nobody. */
  readonly refused: 0 | 1;
  readonly run: RunJson | undefined;
}

interface Message {
  readonly type: string;
  readonly data: RunJson;
}

/** The pauses after the first two attempts, each of which a killed process may lose, are 25 s and two minutes. */
const patienceMs = 240_000;
/**
 * Runs in the background with a webhook: its server is told of their end at least once, with a good signature and the record of the run.
 * `refused`: the part of the messages whose first attempt is refused; the second one comes 10 s later.
 */
export const createWebhooks = (receiver: WebhookReceiver, refused: number) =>
  createLane<Told>({
    name: 'webhooks',
    app: 'echo',
    act: async (client, story) => {
      const path = `/${randomUUID()}`;
      const secret = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
      const isRefused = client.random() < refused;
      if (isRefused) refuseFirst(receiver, path);
      const webhook = { url: receiver.url + path, secret };
      const run = await startRun(client, story, { text: `[[wait:${client.below(400)}]] x`, over: { webhook } });
      await client.pause(300);
      return { path, secret, refused: isRefused ? 1 : 0, run };
    },
    check: async (client, story, { path, secret, refused, run: started }, isLast) => {
      if (started === undefined) return undefined;
      await checkLedger(client, story, [started]);
      const run = await endedRun(client, story, started.invocationId);
      if (run === undefined) return undefined;
      const giveUpAt = performance.now() + (isLast ? patienceMs : 0);
      for (;;) {
        if (
          receiver
            .at(path)
            .slice(refused)
            .some((message) => isEnd(client, story, { message, secret, run }))
        )
          break;
        if (performance.now() > giveUpAt && !isLast) return 'later';
        if (performance.now() > giveUpAt) {
          client.tally.violate(story, `the webhook of run ${run.invocationId} was not told of its end`);
          break;
        }
        await sleep(100);
      }
      client.tally.count('webhooks told');
      forget(receiver, path);
      return undefined;
    },
  });

function refuseFirst({ answers }: WebhookReceiver, path: string): void {
  answers.set(path, () => {
    answers.delete(path);
    return 503;
  });
}

/** Whether a message tells of the end of the run. One that is not signed well, or has another record, is a violation. */
function isEnd(
  { tally }: Client,
  story: Story,
  { message, secret, run }: { readonly message: ReceivedMessage; readonly secret: string; readonly run: RunJson },
): boolean {
  try {
    const { type, data } = openMessage<Message>(secret, message);
    if (type !== `run.${run.status}` || !isDeepStrictEqual(data, run))
      tally.violate(
        story,
        `the webhook was told ${type} ${JSON.stringify(data)}, and the run is ${JSON.stringify(run)}`,
      );
  } catch (error) {
    tally.violate(story, `the signature of a message is wrong: ${String(error)}`);
  }
  return true;
}

function forget({ received }: WebhookReceiver, path: string): void {
  for (let index = received.length - 1; index >= 0; index -= 1)
    if (received[index]?.path === path) received.splice(index, 1);
}
