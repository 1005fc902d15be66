import { MeshError } from '@agentmesh/lib/rpc';
import { createMemoryRelease } from '@agentmesh/lib/service';
import type {
  ArtifactsService,
  LoadArtifactRequestSchema,
  LoadArtifactResponse,
  LoadedArtifact,
  Version,
} from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { firstAnswer } from '../../edge/streams/first-answer.ts';

/** A version that is being read. The caller must read `chunks` to the end or call `leave`. */
export interface OpenArtifact {
  readonly version: Version;
  readonly head: LoadedArtifact;
  readonly chunks: AsyncIterable<Uint8Array>;
  leave(): void;
}

/** Opens a version for reading. Throws errors that the service answers before the first byte. */
export async function openArtifact(
  artifacts: Client<typeof ArtifactsService>,
  request: MessageInitShape<typeof LoadArtifactRequestSchema>,
): Promise<OpenArtifact> {
  const reading = new AbortController();
  const leave = (): void => reading.abort();
  try {
    const messages = artifacts.loadArtifact(request, { signal: reading.signal })[Symbol.asyncIterator]();
    const first = await firstAnswer(messages, reading);
    const head = first.done === true || first.value.kind.case !== 'head' ? undefined : first.value.kind.value;
    if (head?.version === undefined) throw headMissing();
    return { head, version: head.version, chunks: chunksOf(messages, leave), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

async function* chunksOf(messages: AsyncIterator<LoadArtifactResponse>, leave: () => void): AsyncGenerator<Uint8Array> {
  const release = createMemoryRelease();
  try {
    for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
      if (next.value.kind.case !== 'chunk') continue;
      release(next.value.kind.value.byteLength);
      yield next.value.kind.value;
    }
  } finally {
    leave();
  }
}

function headMissing(): MeshError {
  return new MeshError('internal', 'artifact_without_head', 'The artifact could not be read.');
}
