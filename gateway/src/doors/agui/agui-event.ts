/** An event of AG-UI 1.0, as far as this door sends it. */
export type AguiEvent =
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly parentRunId?: string;
      readonly protocolVersion: string;
    }
  | { readonly type: 'RUN_FINISHED'; readonly threadId: string; readonly runId: string; readonly outcome: Outcome }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code?: string }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: object }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly object[] }
  | {
      readonly type: 'TEXT_MESSAGE_START';
      readonly messageId: string;
      readonly role: 'assistant';
      readonly name: string;
    }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | {
      readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
      readonly messageId: string;
      readonly delta: string;
    }
  | {
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
      readonly messageId: string;
    }
  | { readonly type: 'TOOL_CALL_START'; readonly toolCallId: string; readonly toolCallName: string }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly role: 'tool';
      readonly content: string;
    }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: object };

export type Outcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] };

/** A call that a run waits for. It is answered by a resume entry with its id, which is that of a function call. */
export interface Interrupt {
  readonly id: string;
  readonly reason: 'tool_call' | 'input_required';
  readonly toolCallId: string;
  readonly message?: string;
  readonly responseSchema?: object;
  readonly expiresAt?: string;
}
