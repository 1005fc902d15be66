import type { FakeBytes } from '../scripted-server.ts';

/** One block of an answer. In a stream, each element of an array is sent as a delta of its own. */
export type FakeBlock =
  | { readonly text: string | readonly string[] }
  /** A thought. The fake signs it and requires the signature when the thought is sent back. */
  | { readonly thinking: string | readonly string[] }
  /** A thought that the vendor redacts. */
  | { readonly redacted: string }
  /** A tool call. An `input` of type string is sent unchanged, even if it is not JSON. */
  | { readonly call: { readonly id: string; readonly name: string; readonly input: object | string } };

/** A message. It is streamed if the request asks for a stream. */
export interface FakeMessage {
  readonly blocks: readonly FakeBlock[];
  readonly stopReason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** An error that follows the blocks and ends the stream. */
  readonly thenError?: { readonly type: string; readonly message: string };
}

/** An error in the vendor's format. */
export interface FakeMessageError {
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeMessageAnswer = FakeMessage | FakeMessageError | FakeBytes;
