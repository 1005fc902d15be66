import { expect, test } from 'vitest';
import { type ServiceBench, startService } from './start-service.ts';
import { encode } from './stored-session.ts';

async function run({ client, key }: ServiceBench, text: string): Promise<void> {
  const messageJson = encode({ role: 'user', parts: [{ text }] });
  for await (const _ of client.run({ session: key, messageJson }));
}

test('the next turn of a session names the last event that the executor has, by its sequence and its id', async () => {
  await using bench = await startService();
  await run(bench, 'one');
  const last = bench.sessions.events(bench.key).at(-1)?.id;
  await run(bench, 'two');
  expect(bench.sessions.run(bench.key).request.known).toMatchObject({ lastSeq: 2, eventId: last });
});
