import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { FunctionCall, FunctionResponse } from '@google/genai';

interface OpenCall {
  /** The vendor's id; undefined when it gave none: then the answer has none either. */
  readonly id: string | undefined;
  /** The id that is sent. */
  readonly toolCallId: string;
  readonly toolName: string;
}

/** Matches function calls and their answers: by id if there is one, else by name in the order of the calls. */
export class CallLedger {
  readonly #open: OpenCall[] = [];
  readonly #takes: RegExp;
  readonly #sent = new Set<string>();

  /** Replaces ids that do not match `takes`, and ids that were used before. */
  constructor(takes: RegExp) {
    this.#takes = takes;
  }

  open({ id, name = '', args = {} }: FunctionCall): LanguageModelV4ToolCallPart {
    const toolCallId = id !== undefined && this.#takes.test(id) && !this.#sent.has(id) ? id : this.#nextId();
    this.#sent.add(toolCallId);
    this.#open.push({ id, toolCallId, toolName: name });
    return { type: 'tool-call', toolCallId, toolName: name, input: args };
  }

  #nextId(): string {
    let count = this.#sent.size + 1;
    while (this.#sent.has(`call_${count}`)) count += 1;
    return `call_${count}`;
  }

  /** Returns the answer, with its images, as a part of the prompt; undefined when no call waits for it. `response`: the answer without its images. */
  answer(
    { id, name }: FunctionResponse,
    response: Record<string, unknown>,
    images: readonly LanguageModelV4FilePart[] = [],
  ): LanguageModelV4ToolResultPart | undefined {
    const index = this.#open.findIndex((call) => (call.id === undefined ? call.toolName === name : call.id === id));
    const [call] = index === -1 ? [] : this.#open.splice(index, 1);
    return call === undefined ? undefined : toResult(call, response, images);
  }

  /** Answers every call that still waits, because vendors require that before any other message. */
  closeOpen(): LanguageModelV4ToolResultPart[] {
    return this.#open.splice(0).map((call) => toResult(call, { status: 'pending' }));
  }
}

function toResult(
  { toolCallId, toolName }: OpenCall,
  response: Record<string, unknown>,
  images: readonly LanguageModelV4FilePart[] = [],
): LanguageModelV4ToolResultPart {
  const result = { type: 'tool-result', toolCallId, toolName } as const;
  if (images.length === 0) return { ...result, output: { type: 'json', value: response as JSONValue } };
  return {
    ...result,
    output: { type: 'content', value: [{ type: 'text', text: JSON.stringify(response) }, ...images] },
  };
}
