import type { Recording } from '../audio/recording.ts';

/** An HTTP request whose body is made while it is sent. */
export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Transcript as a server sends it. */
export interface Spoken {
  /** Still with the white space around it. */
  readonly text: string;
  readonly language?: string;
  /** Length of the recording. */
  readonly seconds?: number;
}

/** How one kind of server is asked and what its answers mean. */
export interface Dialect {
  readonly maxBytes: number;
  /** Name of the model that is asked; undefined when the server has only one. */
  readonly model: string | undefined;
  request(recording: Recording): UpstreamRequest;
  /** Reads the JSON of a 2xx answer. Throws UnusableAnswer when it is no transcript. */
  read(answer: unknown): Spoken;
}

/** An answer that is not a transcript. The message is for the log and quotes what the server says. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}
