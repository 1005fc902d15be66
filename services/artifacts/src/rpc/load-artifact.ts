import { createMemoryRelease } from '@agentmesh/lib/heap';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { LoadArtifactRequest } from '@agentmesh/proto/artifacts/v1';
import { type StoredKey, storedKey } from '../artifact-key.ts';
import { parseReference } from '../artifact-uri.ts';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { Context } from '../context.ts';
import { artifactDamaged, artifactNotFound, referencesTooDeep, requestInvalid } from '../errors.ts';
import { type PartJson, referenceOf, toKind } from '../part.ts';
import { type LoadedRow, selectVersionWithPayload } from '../store/versions.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

const maxReferences = 8;
const chunkBytes = 256 * 1024;

/**
 * Streams a version: its head, then its payload. Data without bytes answers `artifact_not_found`, as ADK's server does; a text may be empty.
 * The first bytes are read before the head is sent: a download whose head has come has its status already.
 */
export function loadArtifact(context: Context): Handlers['loadArtifact'] {
  return async function* (request, call) {
    const reading = { ...context, db: context.db.within(call) };
    const { key, row } = await findVersion(reading, request);
    if (row.payload === 'data' && row.size === 0n) throw artifactNotFound();
    const head = { version: versionRecord(key, row), payload: toKind(row.payload), partJson: Buffer.from(row.part) };
    const chunks = readPayload(reading, { key, row }, rangeOf(request, row));
    let next = await chunks.next();
    const release = createMemoryRelease();
    try {
      yield { kind: { case: 'head' as const, value: head } };
      for (; next.done !== true; next = await chunks.next()) {
        release(next.value.byteLength);
        yield { kind: { case: 'chunk' as const, value: next.value } };
      }
    } finally {
      await chunks.return(undefined);
    }
  };
}

interface Found {
  readonly key: StoredKey;
  readonly row: LoadedRow;
}

/** Follows references, at most 8, to the version that has the payload. */
async function findVersion({ db }: Context, request: LoadArtifactRequest): Promise<Found> {
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

async function* readPayload(context: Context, found: Found, range: ByteRange): AsyncGenerator<Uint8Array> {
  const { bytes, blob_id: blobId } = found.row;
  if (bytes !== null) {
    const wanted = bytes.subarray(range.start, range.start + range.length);
    for (let at = 0; at < wanted.length; at += chunkBytes) yield wanted.subarray(at, at + chunkBytes);
  } else if (blobId !== null) yield* readObject(context, { ...found, blobId }, range);
}

/** Throws `artifact_damaged` when the store has lost some of the bytes. An object that is gone with its version is not found. */
async function* readObject(
  { db, blobs }: Context,
  { key, row, blobId }: Found & { readonly blobId: string },
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  let missing = range.length;
  try {
    for await (const chunk of blobs.read({ accountId: row.account_id, id: blobId }, range)) {
      missing -= chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    if (!isMeshError(error) || error.reason !== 'artifact_not_found') throw error;
    const now = await selectVersionWithPayload(db, key, row.version);
    if (now?.blob_id !== blobId) throw error;
  }
  if (missing <= 0) return;
  const place = `the object ${row.account_id}/${blobId} of ${key[4]} (version ${row.version})`;
  throw artifactDamaged(
    new Error(`${place} has ${missing} bytes less than the ${range.length} from ${range.start} on`),
  );
}
