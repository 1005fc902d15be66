import type { FakeBytes } from './scripted-server.ts';

/** A tool call of the fake's answer. `arguments` is sent unchanged, even if it is not JSON. */
export interface FakeToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A completion. It is streamed if the request asks for a stream. */
export interface FakeCompletion {
  /** The text. An array is streamed piece by piece. */
  readonly text?: string | readonly string[];
  /** Sent as `reasoning_content`, before the text. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly FakeToolCall[];
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/** An error in the vendor's format. */
export interface FakeError {
  readonly status: number;
  readonly error: {
    readonly message: string;
    readonly type?: string;
    readonly code?: string | null;
    readonly param?: string | null;
  };
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeAnswer = FakeCompletion | FakeError | FakeBytes;
