import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk';
import { FinishReason, type Part } from '@google/genai';
import { ModelCallError } from './model-call-error.ts';
import { toFinish } from './to-finish.ts';
import { toUsageMetadata } from './to-usage-metadata.ts';

/** What a model has said so far in one call. */
export class Answer {
  modelVersion: string | undefined;
  readonly #stream: boolean;
  readonly #said: Part[] = [];
  readonly #calls: LanguageModelV4ToolCall[] = [];
  #reason: LanguageModelV4FinishReason | undefined;
  #usage: LanguageModelV4Usage | undefined;

  /** With `stream` the whole response says that it is not a partial one. */
  constructor({ stream }: { stream: boolean }) {
    this.#stream = stream;
  }

  /** Adds text or a thought, merged with what precedes it, and answers the partial response of it. */
  addText(text: string, thought: boolean): LlmResponse | undefined {
    if (text === '') return undefined;
    const last = this.#said.at(-1);
    if (last !== undefined && (last.thought === true) === thought) last.text = (last.text ?? '') + text;
    else this.#said.push(toPart(text, thought));
    return { content: { role: 'model', parts: [toPart(text, thought)] }, partial: true, ...this.#version() };
  }

  addContent(part: LanguageModelV4Content): void {
    if (part.type === 'text') this.addText(part.text, false);
    else if (part.type === 'reasoning') this.addText(part.text, true);
    else if (part.type === 'tool-call') this.#calls.push(part);
  }

  end(reason: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): void {
    this.#reason = reason;
    this.#usage = usage;
  }

  /** The whole response. Throws ModelCallError when the answer did not come to an end or calls cannot be acted on. */
  finish(): LlmResponse {
    if (this.#reason === undefined) throw brokenOff();
    const { finishReason, ...error } = toFinish(this.#reason, this.#said.length + this.#calls.length > 0);
    const whole = finishReason === FinishReason.STOP;
    const parts = whole ? [...this.#said, ...this.#calls.map(toCallPart)] : this.#said;
    return {
      ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
      ...(this.#stream ? { partial: false } : {}),
      ...error,
      finishReason,
      usageMetadata: toUsageMetadata(this.#usage),
      ...this.#version(),
    };
  }

  #version(): { modelVersion?: string } {
    return this.modelVersion === undefined ? {} : { modelVersion: this.modelVersion };
  }
}

function toCallPart({ toolCallId, toolName, input }: LanguageModelV4ToolCall): Part {
  return { functionCall: { id: toolCallId, name: toolName, args: readArgs(toolName, input) } };
}

function toPart(text: string, thought: boolean): Part {
  return thought ? { text, thought } : { text };
}

function readArgs(toolName: string, input: string): Record<string, unknown> {
  const malformed = `The model called "${toolName}" with arguments that are not a JSON object.`;
  try {
    const args: unknown = JSON.parse(input.trim() === '' ? '{}' : input);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { ...args };
  } catch (cause) {
    throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed, { cause });
  }
  throw new ModelCallError('MALFORMED_FUNCTION_CALL', malformed);
}

function brokenOff(): ModelCallError {
  return new ModelCallError('MODEL_STREAM_BROKEN', 'The model broke off before the end of its answer.');
}
