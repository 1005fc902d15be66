import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { startProcess } from '@agentmesh/lib/service';
import { type TranscribeRequestSchema, TranscriptionService } from '@agentmesh/proto/transcription/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { transcription } from '../src/index.ts';

export type Request = MessageInitShape<typeof TranscribeRequestSchema>;

export interface TestTranscription extends AsyncDisposable {
  readonly client: Client<typeof TranscriptionService>;
}

/** Starts this service alone with these settings. */
export async function openTranscription(env: Record<string, string>): Promise<TestTranscription> {
  await using resources = new AsyncDisposableStack();
  // The service has no database; the bus of its process has.
  const { url } = resources.use(await preparedDatabase(transcription));
  const own = { DATABASE_URL: url, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env };
  const process = resources.use(await startProcess({ services: [transcription], words: ['transcription'], env: own }));
  const opened = resources.move();
  return {
    client: asDeclared(process.mesh).client(TranscriptionService),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export const formats = ['webm', 'ogg', 'mp4', 'm4a', 'wav', 'flac', 'mp3', 'aac'] as const;

/** "hello mesh" in a format; see speech/README.md. */
export function speech(format: (typeof formats)[number]): Buffer {
  return readFileSync(new URL(`speech/hello.${format}`, import.meta.url));
}

/** A WAV file of this many bytes. */
export function wavOf(bytes: number): Buffer {
  const wav = Buffer.alloc(bytes);
  speech('wav').copy(wav, 0, 0, 44);
  return wav;
}

export function opening(accountId: string = randomUUID()): Request {
  return { kind: { case: 'opening', value: { accountId } } };
}

export function chunk(bytes: Uint8Array): Request {
  return { kind: { case: 'chunk', value: new Uint8Array(bytes) } };
}

export const end: Request = { kind: { case: 'end', value: {} } };

/** The messages of a whole call, in chunks of this many bytes. */
export async function* sent(audio: Buffer, chunkBytes = 64 * 1024): AsyncGenerator<Request> {
  yield opening();
  for (let at = 0; at < audio.length; at += chunkBytes) yield chunk(audio.subarray(at, at + chunkBytes));
  yield end;
}
