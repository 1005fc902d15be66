import type { FakeBytes } from '../scripted-server.ts';

/** One part of an answer; an array is streamed piece by piece, `signed` parts bear a signature that is asked for again. */
export type FakePart = { readonly signed?: boolean } & (
  | { readonly text: string | readonly string[] }
  | { readonly thought: string | readonly string[] }
  | { readonly call: { readonly id?: string; readonly name: string; readonly args?: object } }
  | { readonly image: string }
);

/** A candidate, streamed or whole as the request asks. */
export interface FakeCandidate {
  readonly parts: readonly FakePart[];
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** What the words come from, at the end of the candidate. */
  readonly groundingMetadata?: object;
  readonly citationMetadata?: { readonly citationSources: readonly object[] };
  /** An error after the parts, in the midst of the stream. */
  readonly thenError?: FakeGeminiError['error'];
}

/** The filter let nothing of the prompt through. */
export interface FakeBlock {
  readonly blockReason: string;
}

/** An error in the vendor's form. */
export interface FakeGeminiError {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly details?: readonly object[];
  };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeGeminiAnswer = FakeCandidate | FakeBlock | FakeGeminiError | FakeBytes;
