import type { TranscribeResponseSchema } from '@agentmesh/proto/transcription/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Recording } from '../audio/recording.ts';

type Response = MessageInitShape<typeof TranscribeResponseSchema>;
/** Outcome of a call: a transcript, or that the server is busy. */
export type Outcome = NonNullable<Response['outcome']>;

/** A server that transcribes. */
export interface Transcriber {
  /** Most bytes of a recording that the server takes. */
  readonly maxBytes: number;
  /**
   * Sends a recording while it is read and answers the outcome. Throws MeshError `transcription_failed` and
   * `transcription_timeout`, what reading the recording throws, and the reason of `signal`.
   */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Outcome>;
}
