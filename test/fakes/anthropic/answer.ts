import type { FakeBytes } from '../scripted-server.ts';

/** One block of an answer; an array is streamed piece by piece. */
export type FakeBlock =
  | { readonly text: string | readonly string[] }
  /** Signed by the fake, which asks for the signature again. */
  | { readonly thinking: string | readonly string[] }
  /** A thought that the vendor shows to nobody. */
  | { readonly redacted: string }
  /** `input` is sent as it is when it is text, JSON or not. */
  | { readonly call: { readonly id: string; readonly name: string; readonly input: object | string } };

/** A message, streamed or whole as the request asks. */
export interface FakeMessage {
  readonly blocks: readonly FakeBlock[];
  readonly stopReason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** An error after the blocks, in the midst of the stream. */
  readonly thenError?: { readonly type: string; readonly message: string };
}

/** An error in the vendor's form. */
export interface FakeMessageError {
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeMessageAnswer = FakeMessage | FakeMessageError | FakeBytes;
