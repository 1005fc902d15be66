import { MeshError } from '@agentmesh/lib/rpc';
import type { ArtifactKey, Version } from '@agentmesh/proto/artifacts/v1';
import { type Context, unary } from '../context.ts';
import { unlessGone } from '../edge/errors/unless-gone.ts';
import type { ExportedRecord, ExportPart } from '../export-part.ts';
import { openArtifact } from './downloads/open-artifact.ts';
import { versionJson } from './version-json.ts';

type Artifacts = Context['artifacts'];
type Key = Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId' | 'name'>;

const pageSize = 500;

/** Artifacts with all of their versions, and the bytes of these in base64, piece by piece. */
export const artifactExport: ExportPart = {
  kinds: ['artifact', 'artifact_version', 'artifact_part', 'artifact_bytes'],
  async *read({ artifacts }, { accountId }) {
    let after: ArtifactKey | undefined;
    do {
      const page = await artifacts.listArtifactKeys({ accountId, ...(after && { after }), limit: pageSize }, unary);
      for (const { appName, userId, sessionId, name } of page.keys)
        yield* readOne(artifacts, { accountId, appName, userId, sessionId, name });
      after = page.keys.length < pageSize ? undefined : page.keys.at(-1);
    } while (after !== undefined);
  },
};

async function* readOne(artifacts: Artifacts, key: Key): AsyncGenerator<ExportedRecord> {
  const { appName, userId, sessionId, name } = key;
  // An artifact of a user has no session of its own.
  const place = name.startsWith('user:') ? {} : { session_id: sessionId };
  const of = { app_name: appName, user_id: userId, ...place, name };
  yield { kind: 'artifact', data: of };
  for await (const version of versionsOf(artifacts, key)) {
    yield { kind: 'artifact_version', of, data: versionJson(version) };
    yield* soundBytesOf(artifacts, { key, version, of });
  }
}

async function* versionsOf(artifacts: Artifacts, key: Key): AsyncGenerator<Version> {
  const reading = new AbortController();
  try {
    for await (const { versions } of artifacts.listVersions({ key }, { signal: reading.signal })) yield* versions;
  } finally {
    reading.abort();
  }
}

interface VersionOf {
  readonly key: Key;
  readonly version: Version;
  readonly of: object;
}

/** Names a payload that is damaged in the store, behind the pieces that could be read. */
async function* soundBytesOf(artifacts: Artifacts, read: VersionOf): AsyncGenerator<ExportedRecord> {
  try {
    yield* bytesOf(artifacts, read);
  } catch (error) {
    if (!(error instanceof MeshError) || error.reason !== 'artifact_damaged') throw error;
    const names = { ...read.of, version: read.version.version };
    yield { kind: 'left_out', data: { kind: 'artifact_bytes', reason: 'the stored payload is damaged', ...names } };
  }
}

/** A version that refers to another artifact, or to a file elsewhere, has no bytes of its own: its part says what it refers to. */
async function* bytesOf(artifacts: Artifacts, { key, version, of }: VersionOf): AsyncGenerator<ExportedRecord> {
  const { version: number, sha256 } = version;
  const hasBytes = sha256 !== '';
  const wanted = { key, version: number, ...(!hasBytes && { length: 0n }) };
  const open = await unlessGone(openArtifact(artifacts, wanted));
  if (open === undefined) return;
  const names = { ...of, version: number };
  try {
    if (!hasBytes) yield { kind: 'artifact_part', of: names, data: open.head.partJson };
    let offset = 0;
    for await (const chunk of hasBytes ? open.chunks : []) {
      yield { kind: 'artifact_bytes', of: names, data: { offset, base64: Buffer.from(chunk).toString('base64') } };
      offset += chunk.length;
    }
  } finally {
    open.leave();
  }
}
