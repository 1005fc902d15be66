import type { FakeBytes } from '../scripted-server.ts';

/** One part of an answer. An array is streamed piece by piece. A `signed` part gets a signature that the next request must contain. */
export type FakePart = { readonly signed?: boolean } & (
  | { readonly text: string | readonly string[] }
  | { readonly thought: string | readonly string[] }
  | { readonly call: { readonly id?: string; readonly name: string; readonly args?: object } }
  | { readonly image: string }
);

/** A candidate. It is streamed if the request asks for a stream. */
export interface FakeCandidate {
  readonly parts: readonly FakePart[];
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Sources of the answer, sent at the end of the candidate. */
  readonly groundingMetadata?: object;
  readonly citationMetadata?: { readonly citationSources: readonly object[] };
  /** An error that follows the parts and ends the stream. */
  readonly thenError?: FakeGeminiError['error'];
}

/** An answer without candidates because the safety filter blocked the prompt. */
export interface FakeBlock {
  readonly blockReason: string;
}

/** An error in the vendor's format. */
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
