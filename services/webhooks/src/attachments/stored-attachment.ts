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

/** Stores the bytes of an attachment. They are durable when it resolves. */
export async function store(
  artifacts: Artifacts,
  wanted: WantedAttachment,
  { bytes, signal }: { bytes: Uint8Array; signal: AbortSignal },
): Promise<void> {
  await artifacts.saveArtifact(saveRequests(wanted, bytes), { signal });
}

async function* saveRequests({ key, contentType: mimeType }: WantedAttachment, bytes: Uint8Array) {
  yield { kind: { case: 'opening' as const, value: { key } } };
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield { kind: { case: 'chunk' as const, value: new Uint8Array(bytes.subarray(at, at + chunkBytes)) } };
  }
  const partJson = Buffer.from(JSON.stringify({ inlineData: { mimeType } }));
  yield { kind: { case: 'commit' as const, value: { name: key.name, payload: PayloadKind.DATA, partJson } } };
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
