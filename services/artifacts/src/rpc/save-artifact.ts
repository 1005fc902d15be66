import type { ArtifactKey, SaveArtifactResponseSchema, SaveCommit } from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkScope, storedKey, storedName } from '../artifact-key.ts';
import { parseReference } from '../artifact-uri.ts';
import { checkRoom } from '../check-room.ts';
import type { Context } from '../context.ts';
import { requestInvalid, uploadExpired } from '../errors.ts';
import { mimeTypeOf, parseObject, parsePart, referenceOf, textOf, toWord } from '../part.ts';
import { insertVersion } from '../store/versions.ts';
import { Upload } from '../upload.ts';
import { versionRecord } from '../version-record.ts';
import type { Handlers } from './handlers.ts';

type Saved = MessageInitShape<typeof SaveArtifactResponseSchema>;

/** Stores the payload while it arrives. The commit, which is the last message, makes it a version. */
export function saveArtifact(context: Context): Handlers['saveArtifact'] {
  return async (requests) => {
    await using saving = new AsyncDisposableStack();
    let save: Save | undefined;
    for await (const { kind } of requests) {
      if (kind.case === 'opening') {
        if (save !== undefined) throw requestInvalid('A save has one opening only.');
        save = openSave(context, kind.value.key);
        saving.defer(() => save?.upload.discard());
      } else if (save === undefined) throw requestInvalid('The first message of a save must be its opening.');
      else if (kind.case === 'chunk') await save.upload.add(kind.value);
      else if (kind.case === 'restart') await save.upload.restart();
      else if (kind.case === 'commit') return await commitSave(context, save, kind.value);
    }
    throw requestInvalid('The last message of a save must be its commit.');
  };
}

interface Save {
  readonly key: ArtifactKey;
  readonly upload: Upload;
}

function openSave(context: Context, key: ArtifactKey | undefined): Save {
  const { accountId } = checkScope(key);
  checkRoom(context, accountId);
  if (key === undefined) throw requestInvalid('The call names no account.');
  if (key.name !== '') storedName(key.name);
  return { key, upload: new Upload(context, accountId) };
}

async function commitSave({ db, usage }: Context, { key: opened, upload }: Save, commit: SaveCommit): Promise<Saved> {
  const key = storedKey({ ...opened, name: commit.name });
  const payload = toWord(commit.payload);
  const part = parsePart(commit.partJson, payload);
  const reference = payload === 'none' ? referenceOf(part) : undefined;
  if (reference !== undefined) parseReference(reference, key, opened.sessionId.trim());
  const customMetadata = commit.customMetadataJson.length === 0 ? '{}' : textOf(commit.customMetadataJson);
  parseObject(Buffer.from(customMetadata));
  if (payload === 'none' && upload.size > 0) throw requestInvalid('A payload was sent with a part that has none.');
  const row = {
    payload,
    mimeType: mimeTypeOf(part, payload),
    part: textOf(commit.partJson),
    customMetadata,
    content: payload === 'none' ? undefined : await upload.finish(),
    size: upload.size,
  };
  const saved = await insertVersion(db, key, row);
  if (saved === undefined) throw uploadExpired();
  upload.keep();
  usage.add(key[0], { artifacts: saved.version === 0 ? 1 : 0, bytes: row.size });
  return {
    version: versionRecord(key, {
      version: saved.version,
      create_time: saved.create_time,
      payload,
      mime_type: row.mimeType ?? null,
      part: row.part,
      custom_metadata: customMetadata,
      sha256: row.content?.sha256 ?? null,
      size: BigInt(row.size),
    }),
  };
}
