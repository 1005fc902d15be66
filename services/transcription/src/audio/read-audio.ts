import { checkAccountId } from '@agentmesh/lib/rpc';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import type { TranscribeRequest } from '@agentmesh/proto/transcription/v1';
import { audioTooLarge, requestInvalid } from '../errors.ts';

/**
 * The bytes of a recording as they arrive. Throws `audio_too_large` with the chunk that brings it over `maxBytes`, and
 * `request_invalid` for messages out of order and when the messages end before the recording does.
 */
export async function* readAudio(
  requests: AsyncIterable<TranscribeRequest>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  const release = createMemoryRelease();
  let opened = false;
  let bytes = 0;
  for await (const { kind } of requests) {
    if (kind.case === 'opening') {
      if (opened) throw requestInvalid('A transcription is opened once.');
      checkAccountId(kind.value.accountId);
      opened = true;
    } else if (!opened) throw requestInvalid('A transcription begins with its opening.');
    else if (kind.case === 'end') return;
    else if (kind.case === 'chunk') {
      bytes += kind.value.byteLength;
      if (bytes > maxBytes) throw audioTooLarge(maxBytes);
      release(kind.value.byteLength);
      yield kind.value;
    }
  }
  throw requestInvalid('The recording broke off.');
}
