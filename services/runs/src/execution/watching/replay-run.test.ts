import { completeActions } from '@agentmesh/proto/event';
import { RunRequestSchema } from '@agentmesh/proto/runs/v1';
import { ReadRunResponseSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { replayRun } from './replay-run.ts';
import type { Watching } from './watch-events.ts';

const invocationId = 'i';

interface Said {
  readonly author: string;
  readonly texts: readonly string[];
}

const user = (...texts: string[]): Said => ({ author: 'user', texts });
const agent = (text: string): Said => ({ author: 'agent', texts: [text] });
const contentOf = (texts: readonly string[]) => ({ role: 'user', parts: texts.map((text) => ({ text })) });

/** Surroundings in which a run that is over has these events, from sequence 1 on. */
function ledgerOf(said: readonly Said[]): Watching {
  const events = said.map(({ author, texts }, index) => {
    const event = { id: `${index}`, author, invocationId, content: contentOf(texts), actions: completeActions({}) };
    return { seq: index + 1, json: Buffer.from(JSON.stringify(event)) };
  });
  const readRun = ({ afterSeq }: { readonly afterSeq: number }) =>
    Promise.resolve(
      create(ReadRunResponseSchema, {
        run: { invocationId, status: RunStatus.COMPLETED },
        events: events.filter(({ seq }) => seq > afterSeq),
        lastSeq: events.length,
      }),
    );
  const watching = {
    sessions: { readRun },
    draining: new AbortController().signal,
    live: { watch: () => () => undefined },
    runWatchers: { add: () => () => undefined },
  };
  return watching as unknown as Watching;
}

/** The texts that a request with a message gets of a run, from a place on. */
async function replay(said: readonly Said[], message: string, place: { afterSeq?: number; acceptedSeq?: number } = {}) {
  const messageJson = Buffer.from(JSON.stringify(contentOf([message])));
  const request = create(RunRequestSchema, { session: { accountId: 'a', userId: 'u' }, messageJson });
  const continuation = { invocationId, afterSeq: 0, acceptedSeq: 0, cancels: false, ...place };
  const texts: (string | undefined)[] = [];
  const { signal } = new AbortController();
  for await (const { kind } of replayRun(ledgerOf(said), { request, ...continuation }, signal)) {
    if (kind?.case !== 'event') continue;
    const { content } = JSON.parse(Buffer.from(kind.value.json ?? []).toString()) as { content: { parts: Texts } };
    texts.push(content.parts[0]?.text);
  }
  return texts;
}

type Texts = readonly { readonly text: string }[];

const twice = [user('again'), agent('old answer'), user('again'), agent('new answer')];

test('a request gets what its own message has brought about, also where an earlier one was the same', async () => {
  expect(await replay(twice, 'again', { acceptedSeq: 2 })).toEqual(['new answer']);
  expect(await replay(twice, 'again')).toEqual(['old answer']);
});

test('a request goes on behind the last event that it has got', async () => {
  expect(await replay(twice, 'again', { afterSeq: 3, acceptedSeq: 2 })).toEqual(['new answer']);
  expect(await replay(twice, 'again', { afterSeq: 3 })).toEqual(['new answer']);
  expect(await replay(twice, 'again', { afterSeq: 1 })).toEqual(['old answer']);
});

test('a request gets the events of a run whose message was added to while it waited', async () => {
  const joined = [user('first', 'added'), agent('answer to both')];
  expect(await replay(joined, 'first')).toEqual(['answer to both']);
  expect(await replay([user('before'), agent('before'), ...joined], 'first', { acceptedSeq: 2 })).toEqual([
    'answer to both',
  ]);
});
