import type { Queryable } from '@agentmesh/lib/pg';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { BlobName, BlobStore } from './blobs/blob-store.ts';
import {
  findVersionWith,
  type StoredPayload,
  storedPayloads,
  unknownBlobs,
  versionsWithoutPayload,
} from './store/verification.ts';

interface Verification {
  readonly db: Queryable;
  readonly blobs: Pick<BlobStore, 'size' | 'list' | 'check'>;
  readonly fault: (line: string) => void;
  readonly leftOver: (line: string) => void;
}

/** Objects that are looked at together. */
const atOnce = 16;
/** Faults that name a version. */
const mostNamed = 50;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Compares payloads with the blob store, both ways and page by page: an object that is missing or has another size is a fault; one without a row is left over, as after a backup
 * whose store was copied after its database. Contents are not read. Returns how much was compared.
 */
export async function verifyPayloads(verification: Verification): Promise<string> {
  const { db, blobs, fault, leftOver } = verification;
  for await (const { accountId, pk, version } of versionsWithoutPayload(db)) {
    fault(`version ${version} of the artifact ${pk} of account ${accountId} has no row of its payload`);
  }
  if (!(await isThere(blobs))) {
    fault('the blob store is empty or cannot be reached: is its volume mounted, and ARTIFACT_STORE_URL right?');
    return 'compared no payloads with the blob store';
  }
  const payloads = await comparePayloads(verification);
  let objects = 0;
  for await (const page of blobs.list()) {
    objects += page.length;
    for (const name of await withoutRow(db, page)) leftOver(`object ${name.accountId}/${name.id} has no row`);
  }
  return `compared ${payloads} payloads with ${objects} objects of the blob store`;
}

/** A copy that may only be read fails the check, and has objects. */
async function isThere(blobs: Pick<BlobStore, 'check' | 'list'>): Promise<boolean> {
  return (await isReached(() => blobs.check().then(() => true))) || isReached(() => hasObject(blobs));
}

async function isReached(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isMeshError(error)) return false;
    throw error;
  }
}

async function hasObject(blobs: Pick<BlobStore, 'list'>): Promise<boolean> {
  for await (const page of blobs.list()) if (page.length > 0) return true;
  return false;
}

/** Returns the number of payloads. */
async function comparePayloads({ db, blobs, fault }: Verification): Promise<number> {
  let payloads = 0;
  let faults = 0;
  for await (const { payload, size } of withSizes(db, blobs)) {
    payloads += 1;
    const problem = problemOf(payload, size);
    if (problem === undefined) continue;
    faults += 1;
    // To find a version reads those of the account.
    const place = faults > mostNamed ? '' : await placeOf(db, payload);
    fault(`object ${payload.accountId}/${payload.blobId} ${problem}${place}`);
  }
  return payloads;
}

async function* withSizes(db: Queryable, blobs: Pick<BlobStore, 'size'>) {
  for await (const page of storedPayloads(db)) {
    for (let at = 0; at < page.length; at += atOnce) {
      const some = page.slice(at, at + atOnce);
      yield* await Promise.all(some.map(async (payload) => ({ payload, size: await blobs.size(nameOf(payload)) })));
    }
  }
}

function nameOf({ accountId, blobId }: StoredPayload): BlobName {
  return { accountId, id: blobId };
}

function problemOf({ size: wanted }: StoredPayload, size: number | undefined): string | undefined {
  if (size === undefined) return 'is missing';
  return BigInt(size) === wanted ? undefined : `has ${size} bytes instead of ${wanted}`;
}

async function placeOf(db: Queryable, payload: StoredPayload): Promise<string> {
  const found = await findVersionWith(db, payload);
  if (found === undefined) return ': no version has it';
  return `: ${found.name} (version ${found.version}) of ${[found.app, found.user, found.session].join('/')}`;
}

/** The objects of a page that no row knows. A name that is no UUID has none. */
async function withoutRow(db: Queryable, page: readonly BlobName[]): Promise<BlobName[]> {
  const isOurs = ({ accountId, id }: BlobName): boolean => uuid.test(accountId) && uuid.test(id);
  return [...page.filter((name) => !isOurs(name)), ...(await unknownBlobs(db, page.filter(isOurs)))];
}
