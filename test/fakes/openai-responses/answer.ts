import type { FakeBytes } from '../scripted-server.ts';

/** One item of a response; arrays are streamed piece by piece. */
export type FakeItem =
  /** What the model thought, sealed by the fake, which asks for it again; `summary` holds what may be shown of it. */
  | { readonly reasoning: string; readonly summary?: readonly string[] }
  | { readonly text: string | readonly string[] }
  | { readonly refusal: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly arguments: string } };

/** A response, streamed or whole as the request asks. */
export interface FakeResponse {
  readonly items: readonly FakeItem[];
  /** Why it is incomplete. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter';
  /** An error after the items, in the midst of the stream. */
  readonly thenError?: { readonly code: string; readonly message: string };
}

/** An error in the vendor's form. */
export interface FakeResponseError {
  readonly status: number;
  readonly error: { readonly message: string; readonly code?: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeResponseAnswer = FakeResponse | FakeResponseError | FakeBytes;

const mark = 'sealed by the fake: ';

/** A thought that only the fake can read. */
export function seal(thought: string): string {
  return Buffer.from(mark + thought).toString('base64');
}

export function isSealed(content: unknown): boolean {
  return typeof content === 'string' && Buffer.from(content, 'base64').toString().startsWith(mark);
}
