import type { Caller, SessionJson } from '../../../caller.ts';
import type { Client } from './client.ts';
import { Story } from './story.ts';

/** Clients that all do one kind of thing. */
export interface Lane {
  readonly name: string;
  /** Does one thing with a session of its own, from its beginning to its end. */
  act(client: Client): Promise<void>;
  /**
   * Compares what is stored with what clients were told. To be called when no run goes on; `isLast` when there is no later call. Forgets what was
   * checked.
   */
  check(readAs: (caller: Caller) => Client, isLast: boolean): Promise<void>;
}

export interface LaneOptions<Item> {
  readonly name: string;
  /** App of the sessions. */
  readonly app: string;
  /** Does one thing, and returns what is to be checked. */
  readonly act: (client: Client, story: Story) => Promise<Item>;
  /** `later`: it cannot be checked yet. */
  readonly check: (client: Client, story: Story, item: Item, isLast: boolean) => Promise<'later' | undefined>;
}

/** Checks that read at the same time. */
const checksAtOnce = 4;

export function createLane<Item>({ name, app, act, check }: LaneOptions<Item>): Lane {
  let items: { readonly story: Story; readonly item: Item }[] = [];
  return {
    name,
    async act(client) {
      const story = await openSession(client, name, app);
      if (story === undefined) return;
      items.push({ story, item: await act(client, story) });
      client.tally.count(`lane ${name}`);
    },
    async check(readAs, isLast) {
      const [open, later] = [items, [] as typeof items];
      items = later;
      const work = async (): Promise<void> => {
        for (let next = open.pop(); next !== undefined; next = open.pop()) {
          const { story, item } = next;
          const client = readAs(story.caller);
          await checkSessions(client, story);
          if ((await check(client, story, item, isLast)) === 'later') later.push(next);
        }
      };
      await Promise.all(Array.from({ length: checksAtOnce }, work));
    },
  };
}

/** Creates a session, once. Undefined when there was no certain answer. */
export async function openSession(client: Client, lane: string, app: string): Promise<Story | undefined> {
  const story = new Story(lane, client.caller, app);
  const request = { method: 'POST', path: pathOfSessions(story), body: { state: { made: true } } };
  const answer = await client.once(request, { certain: [200], story, same: (body) => body });
  if (answer === undefined) return undefined;
  const { id } = answer.body as SessionJson;
  story.session = { ...story.session, id };
  return story;
}

/** Checks that the user has the one session that was created. */
export async function checkSessions(client: Client, story: Story): Promise<void> {
  const answer = await client.until({ method: 'GET', path: pathOfSessions(story) }, [200], story);
  const ids = ((answer?.body ?? []) as SessionJson[]).map(({ id }) => id);
  if (!ids.includes(story.session.id)) client.tally.violate(story, 'the session is lost');
  if (ids.length > 1) client.tally.violate(story, `the session was created ${ids.length} times`);
}

function pathOfSessions({ session: { appName, userId } }: Story): string {
  return `/apps/${appName}/users/${userId}/sessions`;
}
