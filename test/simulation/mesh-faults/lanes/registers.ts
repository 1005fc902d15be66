import { randomUUID } from 'node:crypto';
import type { SessionJson } from '../../../caller.ts';
import { sessionPath } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import type { Story } from '../clients/story.ts';
import { faultOf, type Operation } from '../registers/register-history.ts';

/** Clients that write and read the same keys at the same time. */
const actors = 3;
/** Calls of each of them. */
const callsOfActor = 6;
const pauseMs = 60;

/** Calls by the key of the state. */
type Histories = ReadonlyMap<string, Operation[]>;

/** State that several clients write and read at the same time: each key is a register, whose history has to be linearizable. */
export const createRegisters = () =>
  createLane<Histories>({
    name: 'registers',
    app: 'echo',
    act: async (client, story) => {
      // The name of an app's key is its story's own: all users of the app share its state.
      const keys = ['own', 'user:shared', `app:${story.session.userId}`];
      const histories = new Map(keys.map((key) => [key, [] as Operation[]]));
      const act = async (): Promise<void> => {
        for (let call = 0; call < callsOfActor && !client.over.aborted; call += 1) {
          const key = client.pick(keys);
          const operation = client.random() < 0.5 ? await write(client, story, key) : await read(client, story, key);
          if (operation !== undefined) histories.get(key)?.push(operation);
          await client.pause(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: actors }, act));
      return histories;
    },
    check: async (client, story, histories) => {
      for (const [key, history] of histories) {
        const last = await read(client, story, key);
        client.tally.count('calls at registers', history.length);
        const fault = faultOf(last === undefined ? history : [...history, last]);
        if (fault === undefined) continue;
        for (const operation of history) story.note(`${key}: ${JSON.stringify(operation)}`);
        client.tally.violate(story, `${key} of the state is no register: ${fault}`);
      }
      return undefined;
    },
  });

async function write(client: Client, story: Story, key: string): Promise<Operation> {
  const value = randomUUID();
  const startedAt = performance.now();
  const request = { method: 'PATCH', path: sessionPath(story.session), body: { stateDelta: { [key]: value } } };
  const same = (body: unknown): unknown => (body as SessionJson).id;
  const answer = await client.once(request, { certain: [200], story, same });
  return { kind: 'write', value, startedAt, endedAt: answer === undefined ? Infinity : performance.now() };
}

async function read(client: Client, story: Story, key: string): Promise<Operation | undefined> {
  const startedAt = performance.now();
  const answer = await client.until({ method: 'GET', path: sessionPath(story.session) }, [200], story);
  if (answer === undefined) return undefined;
  const value = (answer.body as SessionJson).state[key] as string | undefined;
  return { kind: 'read', value, startedAt, endedAt: performance.now() };
}
