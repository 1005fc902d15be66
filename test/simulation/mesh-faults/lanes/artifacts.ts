import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Part, Version } from '../../../artifact-caller.ts';
import { sessionPath } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import type { Story } from '../clients/story.ts';

/** Bytes of payloads: smaller ones are kept in PostgreSQL, larger ones in the blob store. */
const sizes = [300, 200_000];
const mostSaves = 6;
const pauseMs = 100;

interface Saved {
  readonly name: string;
  readonly sent: ReadonlySet<string>;
  /** Hashes of the payloads by the version that was acknowledged. */
  readonly acknowledged: ReadonlyMap<number, string>;
}

/** Versions of an artifact: each that was acknowledged is stored with its bytes, each save made one, and none is missing between them. */
export const createArtifacts = () =>
  createLane<Saved>({
    name: 'artifacts',
    app: 'echo',
    act: async (client, story) => {
      const name = `${randomUUID()}.bin`;
      const sent = new Set<string>();
      const acknowledged = new Map<number, string>();
      for (let left = 1 + client.below(mostSaves); left > 0 && !client.over.aborted; left -= 1) {
        const bytes = randomBytes(client.pick(sizes));
        sent.add(hashOf(bytes));
        const version = await save(client, story, { name, bytes });
        if (version !== undefined && acknowledged.has(version))
          client.tally.violate(story, `version ${version} of ${name} was given to two saves`);
        if (version !== undefined) acknowledged.set(version, hashOf(bytes));
        await client.pause(pauseMs);
      }
      return { name, sent, acknowledged };
    },
    check: async (client, story, { name, sent, acknowledged }) => {
      const path = `${artifactsPath(story)}/${name}/versions`;
      const listed = await client.until({ method: 'GET', path }, [200, 404], story);
      const versions = listed?.status === 200 ? (listed.body as number[]) : [];
      client.tally.count('versions of artifacts', versions.length);
      if (versions.some((version, index) => version !== index))
        client.tally.violate(story, `${name} has the versions ${versions.join(', ')}`);
      if (versions.length > sent.size)
        client.tally.violate(story, `${name} has ${versions.length} versions of ${sent.size} saves`);
      for (const version of acknowledged.keys())
        if (!versions.includes(version)) client.tally.violate(story, `version ${version} of ${name} is lost`);
      for (const version of versions) {
        const hash = hashOf(await load(client, story, `${path}/${version}`));
        if (!sent.has(hash) || hash !== (acknowledged.get(version) ?? hash))
          client.tally.violate(story, `version ${version} of ${name} has other bytes than were saved`);
      }
      return undefined;
    },
  });

function artifactsPath({ session }: Story): string {
  return `${sessionPath(session)}/artifacts`;
}

/** The version that the payload got; undefined when there was no certain answer. */
async function save(
  client: Client,
  story: Story,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<number | undefined> {
  const inlineData = { data: bytes.toString('base64'), mimeType: 'application/octet-stream' };
  const request = { method: 'POST', path: artifactsPath(story), body: { filename: name, artifact: { inlineData } } };
  const same = (body: unknown): unknown => (body as Version).version;
  return ((await client.once(request, { certain: [200], story, same }))?.body as Version | undefined)?.version;
}

async function load(client: Client, story: Story, path: string): Promise<Buffer> {
  const answer = await client.until({ method: 'GET', path }, [200], story);
  return Buffer.from((answer?.body as Part | undefined)?.inlineData?.data ?? '', 'base64');
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
