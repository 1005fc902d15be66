import { type ArtifactKey, PayloadKind, type SaveArtifactRequestSchema } from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import type { HeldBytes } from '../../edge/bodies/body-budget.ts';
import { decode } from '../../edge/json/json-text.ts';
import { checkSave, refusalOf } from './check-save.ts';
import { readSaveBody, readWhole } from './save-body.ts';

type Request = MessageInitShape<typeof SaveArtifactRequestSchema>;
export type Place = Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;

const chunkBytes = 256 * 1024;

/** A JSON body that is being received. */
export interface JsonUpload {
  readonly source: AsyncIterable<Buffer>;
  /** `Content-Type`; without one the body is JSON. */
  readonly contentType: string | undefined;
  /** Most bytes, not counting a streamed payload. */
  readonly maxRestBytes: number;
  /** Room for what is kept in memory. */
  readonly held: HeldBytes;
}

const json = /^application\/(?:[^;\s]*\+)?json/i;

/**
 * Messages of a save for the service, made from a JSON body as it arrives. Throws faults of the body before the message that
 * commits.
 */
export async function* jsonSaveRequests(place: Place, upload: JsonUpload): AsyncGenerator<Request> {
  yield { kind: { case: 'opening', value: { key: place } } };
  const { source, contentType } = upload;
  if (contentType !== undefined && !json.test(contentType)) throw await refuseText(upload);
  const reading = readSaveBody(source, upload);
  let next = await reading.next();
  for (; !next.done; next = await reading.next()) yield chunkOf(next.value);
  const { commit, bytes } = checkSave(next.value);
  if (bytes !== undefined) {
    if (next.value.streamed !== undefined) yield { kind: { case: 'restart', value: {} } };
    for (let at = 0; at < bytes.length; at += chunkBytes) yield chunkOf(bytes.subarray(at, at + chunkBytes));
  }
  yield { kind: { case: 'commit', value: commit } };
}

/** A body of another type is a text, as on every route. */
async function refuseText({ source, maxRestBytes, held }: JsonUpload): Promise<Error> {
  const text = decode(await readWhole(source, { maxRestBytes, held }));
  return refusalOf(text === '' ? null : text);
}

/** Messages of a save whose body is the payload itself. */
export async function* rawSaveRequests(
  key: Place & { readonly name: string },
  body: AsyncIterable<Buffer>,
  mimeType: string,
): AsyncGenerator<Request> {
  yield { kind: { case: 'opening', value: { key } } };
  for await (const bytes of body) yield chunkOf(bytes);
  const commit = { name: key.name, payload: PayloadKind.DATA, partJson: encodeJson({ inlineData: { mimeType } }) };
  yield { kind: { case: 'commit', value: commit } };
}

/** Uint8Array that shares the buffer's memory, as protobuf messages take it. */
function chunkOf({ buffer, byteOffset, byteLength }: Buffer): Request {
  return { kind: { case: 'chunk', value: new Uint8Array(buffer, byteOffset, byteLength) } };
}
