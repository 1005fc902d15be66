import { isMeshError } from '@agentmesh/lib/rpc';
import { type ArtifactsService, PayloadKind } from '@agentmesh/proto/artifacts/v1';
import type { Client } from '@connectrpc/connect';
import type { WantedAttachment } from './wanted-attachment.ts';

type Artifacts = Client<typeof ArtifactsService>;

const chunkBytes = 256 * 1024;
const timeoutMs = 10_000;

/** Whether the attachment is stored. */
export async function isStored(artifacts: Artifacts, { key }: WantedAttachment): Promise<boolean> {
  try {
    await artifacts.getVersion({ key }, { timeoutMs });
    return true;
  } catch (error) {
    if (isMeshError(error) && error.code === 'not_found') return false;
    throw error;
  }
}

/**
 * Stores the bytes of an attachment while they arrive. They are durable when it resolves. Answers false when there are none, which are not stored.
 * Throws the error of the bytes when they break off: then nothing is stored.
 */
export async function store(
  artifacts: Artifacts,
  wanted: WantedAttachment,
  { chunks, signal }: { chunks: AsyncGenerator<Uint8Array, void>; signal: AbortSignal },
): Promise<boolean> {
  const first = await chunks.next();
  if (first.done === true) return false;
  const upload = new Upload(first.value, chunks);
  try {
    await artifacts.saveArtifact(upload.requests(wanted), { signal });
  } catch (error) {
    throw upload.failure ?? error;
  } finally {
    await chunks.return();
  }
  return true;
}

/** The requests that save an artifact, made of chunks that arrive. */
class Upload {
  /** Error of the chunks. */
  failure: unknown;
  readonly #first: Uint8Array;
  readonly #rest: AsyncGenerator<Uint8Array, void>;

  constructor(first: Uint8Array, rest: AsyncGenerator<Uint8Array, void>) {
    this.#first = first;
    this.#rest = rest;
  }

  async *requests({ key, contentType: mimeType }: WantedAttachment) {
    yield { kind: { case: 'opening' as const, value: { key } } };
    yield* chunkRequests(this.#first);
    try {
      for await (const chunk of this.#rest) yield* chunkRequests(chunk);
    } catch (error) {
      this.failure = error;
      throw error;
    }
    const partJson = Buffer.from(JSON.stringify({ inlineData: { mimeType } }));
    yield { kind: { case: 'commit' as const, value: { name: key.name, payload: PayloadKind.DATA, partJson } } };
  }
}

function* chunkRequests(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield { kind: { case: 'chunk' as const, value: new Uint8Array(bytes.subarray(at, at + chunkBytes)) } };
  }
}

/** Streams a stored attachment: its head, then its bytes. Throws `artifact_not_found` before the head when none is stored. */
export async function* readStored(artifacts: Artifacts, wanted: WantedAttachment, signal: AbortSignal) {
  const leaving = new AbortController();
  const { key, filename, contentType } = wanted;
  try {
    const reading = { signal: AbortSignal.any([signal, leaving.signal]) };
    for await (const { kind } of artifacts.loadArtifact({ key }, reading)) {
      if (kind.case === 'chunk') yield { kind };
      if (kind.case !== 'head') continue;
      const size = kind.value.version?.size ?? 0n;
      yield { kind: { case: 'head' as const, value: { filename, contentType, size } } };
    }
  } finally {
    leaving.abort();
  }
}
