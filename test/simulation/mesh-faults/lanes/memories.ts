import { randomUUID } from 'node:crypto';
import { runBody, textOf } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import { readSession } from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';

interface Remembered {
  /** Word that the user's message has, and no other text. */
  readonly word: string;
  readonly isAdded: boolean;
  readonly isForgotten: boolean;
}

interface Memories {
  readonly memories: readonly { readonly content: { readonly parts: readonly { readonly text?: string }[] } }[];
}

/** Sessions that are added to memory, some of them twice: a search finds each event once, and none after the memory was deleted. */
export const createMemories = () =>
  createLane<Remembered>({
    name: 'memories',
    app: 'echo',
    act: async (client, story) => {
      const word = `w${randomUUID().replaceAll('-', '')}`;
      const request = { method: 'POST', path: '/run', body: runBody(story.session, `say ${word}`) };
      const ran = await client.once(request, { certain: [200], story, same: (body) => body });
      if (ran === undefined) return { word, isAdded: false, isForgotten: false };
      const isAdded = await add(client, story);
      if (client.random() < 0.3) await add(client, story);
      const isForgotten = client.random() < 0.2;
      if (isForgotten) await client.until({ method: 'DELETE', path: pathOf(story) }, [200], story);
      client.tally.count('sessions added to memory');
      return { word, isAdded, isForgotten };
    },
    check: async (client, story, { word, isAdded, isForgotten }) => {
      if (!isAdded) return undefined;
      const answer = await client.until({ method: 'GET', path: `${pathOf(story)}?query=${word}` }, [200], story);
      const found = ((answer?.body as Memories | undefined)?.memories ?? []).flatMap(({ content }) =>
        content.parts.map(({ text = '' }) => text),
      );
      const { events } = await readSession(client, story);
      const said = isForgotten ? [] : events.map(textOf).filter((text) => text.includes(word));
      if (found.toSorted().join('\n') !== said.toSorted().join('\n'))
        client.tally.violate(story, `memory has ${JSON.stringify(found)}, and ${JSON.stringify(said)} was added`);
      return undefined;
    },
  });

async function add(client: Client, story: Story): Promise<boolean> {
  const request = { method: 'PATCH', path: pathOf(story), body: { sessionId: story.session.id } };
  return (await client.until(request, [200], story)) !== undefined;
}

function pathOf({ session: { appName, userId } }: Story): string {
  return `/apps/${appName}/users/${userId}/memory`;
}
