import type { FakeBytes } from '../scripted-server.ts';

/** One item of a response. An array is streamed piece by piece. */
export type FakeItem =
  /** A thought of the model, encrypted by the fake, which requires it in the next request. `summary` is the part that may be shown. */
  | { readonly reasoning: string; readonly summary?: readonly string[] }
  | { readonly text: string | readonly string[] }
  | { readonly refusal: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly arguments: string } };

/** A response. It is streamed if the request asks for a stream. */
export interface FakeResponse {
  readonly items: readonly FakeItem[];
  /** Reason why the response is incomplete. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter';
  /** An error that follows the items and ends the stream. */
  readonly thenError?: { readonly code: string; readonly message: string };
}

/** An error in the vendor's format. */
export interface FakeResponseError {
  readonly status: number;
  readonly error: { readonly message: string; readonly code?: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeResponseAnswer = FakeResponse | FakeResponseError | FakeBytes;

const mark = 'sealed by the fake: ';

/** Encrypts a thought so that only the fake can read it. */
export function seal(thought: string): string {
  return Buffer.from(mark + thought).toString('base64');
}

export function isSealed(content: unknown): boolean {
  return typeof content === 'string' && Buffer.from(content, 'base64').toString().startsWith(mark);
}
