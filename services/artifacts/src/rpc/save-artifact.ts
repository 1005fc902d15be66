import { randomUUID } from 'node:crypto';
import { type Commit, committedOnce, isKeyUsed, keyedRequest } from '@agentmesh/lib/idempotency';
import type { Database, Queryable } from '@agentmesh/lib/pg';
import { type ArtifactKey, type SaveCommit, SaveArtifactResponseSchema } from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkScope, type StoredKey, storedKey, storedName } from '../artifact-key.ts';
import { parseReference } from '../artifact-uri.ts';
import { takeRoom } from '../check-room.ts';
import type { Context } from '../context.ts';
import { callerGone, requestInvalid, uploadExpired } from '../errors.ts';
import { mimeTypeOf, parseObject, parsePart, referenceOf, textOf, toWord } from '../part.ts';
import { keyOfContent } from '../save-key.ts';
import { insertVersion, type NewVersion } from '../store/versions.ts';
import { Upload } from '../upload.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

type Saved = MessageInitShape<typeof SaveArtifactResponseSchema>;

/** Auth asks for the erasure of a deleted account for some minutes more: until then it erases also a save that had begun before. */
const longSaveMs = 60_000;
const checkMs = 10_000;

/**
 * Stores the payload while it arrives. The commit, which is the last message, makes it a version. A save that has taken longer than `longMs` asks before whether its
 * account was deleted: nobody would erase what it stores.
 */
export function saveArtifact(context: Context, longMs = longSaveMs): Handlers['saveArtifact'] {
  return async (requests, call) => {
    const begunAt = performance.now();
    await using saving = new AsyncDisposableStack();
    let save: Save | undefined;
    for await (const { kind } of requests) {
      if (kind.case === 'opening') {
        if (save !== undefined) throw requestInvalid('A save has one opening only.');
        save = await openSave(context, saving, { key: kind.value.key, headers: call.requestHeader });
        saving.defer(() => save?.upload.discard());
      } else if (save === undefined) throw requestInvalid('The first message of a save must be its opening.');
      else if (kind.case === 'chunk') await save.upload.add(kind.value);
      else if (kind.case === 'restart') await save.upload.restart();
      else if (kind.case === 'commit') {
        const { requestHeader } = call;
        if (performance.now() - begunAt >= longMs) await checkAccount(context, save.key, call.signal);
        return await commitSave(context, { ...save, db: context.db.within(call), requestHeader }, kind.value);
      }
    }
    throw requestInvalid('The last message of a save must be its commit.');
  };
}

interface Save {
  readonly key: ArtifactKey;
  readonly upload: Upload;
}

interface Saving extends Save {
  /** Stores nothing for a caller who has left. */
  readonly db: Database;
  readonly requestHeader: Headers;
}

interface Opening {
  readonly key: ArtifactKey | undefined;
  readonly headers: Headers;
}

async function openSave(context: Context, saving: AsyncDisposableStack, { key, headers }: Opening): Promise<Save> {
  const { accountId } = checkScope(key);
  const keyed = keyedRequest(accountId, headers);
  // A repeated save stores nothing: it is answered like the first one, which may have filled the account.
  if (keyed === undefined || !(await isKeyUsed(context.db, keyed)))
    saving.use(takeRoom(context, { accountId, names: [randomUUID()] }));
  if (key === undefined) throw requestInvalid('The call names no account.');
  if (key.name !== '') storedName(key.name);
  return { key, upload: new Upload(context, accountId) };
}

async function checkAccount({ auth }: Context, { accountId }: ArtifactKey, signal: AbortSignal): Promise<void> {
  const { isDeleted } = await auth.checkErasure({ accountId }, { timeoutMs: checkMs, signal });
  if (isDeleted) throw callerGone();
}

/** Stores the version; with an idempotency key once, whatever is uploaded again. */
async function commitSave(
  { usage }: Context,
  { key: opened, upload, db, requestHeader }: Saving,
  commit: SaveCommit,
): Promise<Saved> {
  const key = storedKey({ ...opened, name: commit.name });
  const row = await readVersion(opened, upload, commit);
  const insert = async (tx: Queryable) => {
    const saved = await insertVersion(tx, key, row);
    if (saved === undefined) throw uploadExpired();
    return saved;
  };
  const answerOf = (saved: Inserted): Saved => ({ version: recordOf(key, row, saved) });
  const store = async (inTransaction?: Commit<Saved>): Promise<Saved> => {
    const saved = inTransaction === undefined ? await insert(db) : await inTransaction(insert, answerOf);
    upload.keep();
    usage.add(key[0], { artifacts: saved.version === 0 ? 1 : 0, bytes: row.size });
    return answerOf(saved);
  };
  const asked = keyedRequest(key[0], requestHeader);
  if (asked === undefined) return store();
  const keyed = keyOfContent(asked, commit, row.content?.sha256);
  return committedOnce({ db, keyed, output: SaveArtifactResponseSchema }, store);
}

async function readVersion(opened: ArtifactKey, upload: Upload, commit: SaveCommit): Promise<NewVersion> {
  const key = storedKey({ ...opened, name: commit.name });
  const payload = toWord(commit.payload);
  const part = parsePart(commit.partJson, payload);
  const reference = payload === 'none' ? referenceOf(part) : undefined;
  if (reference !== undefined) parseReference(reference, key, opened.sessionId.trim());
  const customMetadata = commit.customMetadataJson.length === 0 ? '{}' : textOf(commit.customMetadataJson);
  parseObject(Buffer.from(customMetadata));
  if (payload === 'none' && upload.size > 0) throw requestInvalid('A payload was sent with a part that has none.');
  return {
    payload,
    mimeType: mimeTypeOf(part, payload),
    part: textOf(commit.partJson),
    customMetadata,
    content: payload === 'none' ? undefined : await upload.finish(),
    size: upload.size,
  };
}

interface Inserted {
  readonly version: number;
  readonly create_time: number;
}

function recordOf(key: StoredKey, row: NewVersion, saved: Inserted): Saved['version'] {
  return versionRecord(key, {
    ...saved,
    payload: row.payload,
    mime_type: row.mimeType ?? null,
    part: row.part,
    custom_metadata: row.customMetadata,
    sha256: row.content?.sha256 ?? null,
    size: BigInt(row.size),
  });
}
