import { createMemoryRelease } from '@agentmesh/lib/heap';
import type { LoadArtifactRequest } from '@agentmesh/proto/artifacts/v1';
import { type StoredKey, storedKey } from '../artifact-key.ts';
import { parseReference } from '../artifact-uri.ts';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { Context } from '../context.ts';
import { artifactNotFound, referencesTooDeep, requestInvalid } from '../errors.ts';
import { type PartJson, referenceOf, toKind } from '../part.ts';
import { type LoadedRow, selectVersionWithPayload } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

const maxReferences = 8;
const chunkBytes = 256 * 1024;

/** Streams a version: its head, then its payload. Data without bytes answers `artifact_not_found`, as ADK's server does; a text may be empty. */
export function loadArtifact(context: Context): Handlers['loadArtifact'] {
  return async function* (request) {
    const { key, row } = await findVersion(context, request);
    if (row.payload === 'data' && row.size === 0n) throw artifactNotFound();
    const head = { version: versionRecord(key, row), payload: toKind(row.payload), partJson: Buffer.from(row.part) };
    yield { kind: { case: 'head' as const, value: head } };
    const release = createMemoryRelease();
    for await (const chunk of readPayload(context, row, rangeOf(request, row))) {
      release(chunk.byteLength);
      yield { kind: { case: 'chunk' as const, value: chunk } };
    }
  };
}

/** Follows references, at most 8, to the version that has the payload. */
async function findVersion({ db }: Context, request: LoadArtifactRequest): Promise<{ key: StoredKey; row: LoadedRow }> {
  const sessionId = request.key?.sessionId.trim() ?? '';
  let key = storedKey(request.key);
  let { version } = request;
  for (let followed = 0; followed <= maxReferences; followed += 1) {
    const row = await selectVersionWithPayload(db, key, version);
    if (row === undefined) throw artifactNotFound();
    const reference = row.payload === 'none' ? referenceOf(JSON.parse(row.part) as PartJson) : undefined;
    if (reference === undefined) return { key, row };
    ({ key, version } = parseReference(reference, key, sessionId));
  }
  throw referencesTooDeep();
}

/** The part of the payload that the request asks for, cut to what exists. */
function rangeOf({ offset, length }: LoadArtifactRequest, { size }: LoadedRow): ByteRange {
  if (offset < 0n || (length ?? 0n) < 0n)
    throw requestInvalid('The offset and the length of a range must not be negative.');
  const start = offset < size ? offset : size;
  const rest = size - start;
  return { start: Number(start), length: Number(length === undefined || length > rest ? rest : length) };
}

async function* readPayload({ blobs }: Context, row: LoadedRow, range: ByteRange): AsyncGenerator<Uint8Array> {
  if (row.bytes !== null) {
    const bytes = row.bytes.subarray(range.start, range.start + range.length);
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  } else if (row.blob_id !== null) {
    yield* blobs.read({ accountId: row.account_id, id: row.blob_id }, range);
  }
}
