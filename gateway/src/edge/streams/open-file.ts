import { MeshError } from '@agentmesh/lib/rpc';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import { firstAnswer } from './first-answer.ts';

interface FileMessage<Head> {
  readonly kind:
    | { case: 'head'; value: Head }
    | { case: 'chunk'; value: Uint8Array }
    | { case: undefined; value?: undefined };
}

/** A file that is being read. The caller must read `chunks` to the end or call `leave`. */
export interface OpenFile<Head> {
  readonly head: Head;
  readonly chunks: AsyncIterable<Uint8Array>;
  leave(): void;
}

/**
 * Opens a file that a service sends as a head and chunks. Throws errors that the service answers before the first byte, and internal
 * `file_without_head` when it sends no head.
 */
export async function openFile<Head>(
  read: (call: { signal: AbortSignal }) => AsyncIterable<FileMessage<Head>>,
): Promise<OpenFile<Head>> {
  const reading = new AbortController();
  const leave = (): void => reading.abort();
  try {
    const messages = read({ signal: reading.signal })[Symbol.asyncIterator]();
    const first = await firstAnswer(messages, reading);
    if (first.done === true || first.value.kind.case !== 'head') throw headMissing();
    return { head: first.value.kind.value, chunks: chunksOf(messages, leave), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

async function* chunksOf(messages: AsyncIterator<FileMessage<unknown>>, leave: () => void): AsyncGenerator<Uint8Array> {
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
  return new MeshError('internal', 'file_without_head', 'The file could not be read.');
}
