import type {
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk/core';
import { FinishReason, type GenerateContentResponseUsageMetadata, type Part } from '@google/genai';
import { cutName } from '../use/cut-name.ts';
import { tokenCount } from '../use/token-count.ts';
import { createCallBounds } from './call-bounds.ts';
import type { ChunkEnd, Dialect, Sources } from './dialect.ts';
import { ModelCallError, type ToldFacts } from '../model-call-error.ts';
import { readArgs } from './read-args.ts';

/** A piece of text or of a thought. */
export interface Piece {
  /** The vendor's id of the block that the piece belongs to. */
  readonly id: string;
  readonly text: string;
  readonly thought: boolean;
  readonly metadata: SharedV4ProviderMetadata | undefined;
}

/** The last part of the vendor's answer. */
export interface AnswerEnd {
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly providerMetadata?: SharedV4ProviderMetadata | undefined;
}

interface Said {
  readonly id: string;
  readonly part: Part;
}

/** The answer of a model as far as it has arrived. */
export class Answer {
  modelVersion: string | undefined;
  readonly #dialect: Dialect;
  readonly #stream: boolean;
  readonly #said: (Said | LanguageModelV4ToolCall)[] = [];
  readonly #checkCall = createCallBounds();
  #end: AnswerEnd | undefined;
  #sources: Sources = {};

  /** With `stream`, the last response has `partial: false`. */
  constructor({ stream, dialect }: { stream: boolean; dialect: Dialect }) {
    this.#stream = stream;
    this.#dialect = dialect;
  }

  /** Adds a piece, merged with the one before it, and returns its partial response. */
  addText(piece: Piece): LlmResponse | undefined {
    const { text, thought } = piece;
    const thoughtSignature = this.#signature(piece.metadata);
    if (text === '' && thoughtSignature === undefined) return undefined;
    const last = this.#said.at(-1);
    const part = continues(last, piece) ? last.part : this.#begin(piece);
    if (text !== '') part.text = (part.text ?? '') + text;
    if (thoughtSignature !== undefined) part.thoughtSignature = thoughtSignature;
    if (text === '') return undefined;
    const parts = [thought ? { text, thought } : { text }];
    return { content: { role: 'model', parts }, partial: true, ...this.#version() };
  }

  addFile({ mediaType, data, providerMetadata }: Pick<LanguageModelV4File, 'mediaType' | 'data' | 'providerMetadata'>) {
    if (data.type !== 'data') return;
    const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
    const thoughtSignature = this.#signature(providerMetadata);
    const part = { inlineData: { mimeType: mediaType, data: base64 } };
    this.#said.push({ id: '', part: thoughtSignature === undefined ? part : { ...part, thoughtSignature } });
  }

  /** Throws ModelCallError when the answer calls too many tools, or one with too long arguments. */
  addCall(call: LanguageModelV4ToolCall): void {
    if (call.providerExecuted === true) return;
    this.#checkCall(call.input);
    this.#said.push(call);
  }

  /** Adds a part of an answer that is not streamed; `id` distinguishes the parts. */
  addContent(part: LanguageModelV4Content, id: string): void {
    const metadata = part.providerMetadata;
    if (part.type === 'text') this.addText({ id, text: part.text, thought: false, metadata });
    else if (part.type === 'reasoning') this.addText({ id, text: part.text, thought: true, metadata });
    else if (part.type === 'file') this.addFile(part);
    else if (part.type === 'tool-call') this.addCall(part);
  }

  /** Reads the sources that a raw chunk or body names; later ones replace earlier ones. */
  addSources(raw: unknown): void {
    this.#sources = { ...this.#sources, ...this.#dialect.readSources?.(raw) };
  }

  /** Reads what a raw chunk tells of the whole answer, and returns its end, if the chunk is the last. */
  readChunk(raw: unknown): ChunkEnd | undefined {
    this.modelVersion ??= this.#dialect.readModelVersion?.(raw);
    this.addSources(raw);
    const end = this.#dialect.readEnd?.(raw);
    return end?.usageMetadata === undefined ? end : { ...end, usageMetadata: bounded(end.usageMetadata) };
  }

  end(end: AnswerEnd): void {
    this.#end = end;
  }

  /** Returns the whole response. Throws ModelCallError when the answer is incomplete or its calls are invalid. */
  finish(): LlmResponse {
    const { finishReason: reason, usage, providerMetadata: metadata } = this.#end ?? {};
    if (reason === undefined || usage === undefined || reason.unified === 'interrupted') throw brokenOff();
    const finish = this.#dialect.finish({ reason, metadata, hasContent: this.#said.length > 0 });
    const whole = finish.finishReason === FinishReason.STOP;
    const usageMetadata = bounded(this.#dialect.usage(usage));
    const told = { ...(Object.keys(usageMetadata).length === 0 ? {} : { usageMetadata }), ...this.#version() };
    const partsOf = (call: LanguageModelV4ToolCall): Part[] => (whole ? [this.#callPart(call, told)] : []);
    const parts = this.#said.flatMap((said) => ('part' in said ? [said.part] : partsOf(said)));
    return {
      ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
      ...(this.#stream ? { partial: false } : {}),
      ...finish,
      ...this.#sources,
      ...told,
    };
  }

  #begin({ id, thought }: Piece): Part {
    const part: Part = thought ? { thought } : {};
    this.#said.push({ id, part });
    return part;
  }

  #callPart({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall, told: ToldFacts): Part {
    const thoughtSignature = this.#signature(providerMetadata);
    const part = { functionCall: { id: toolCallId, name: toolName, args: readArgs(toolName, input, told) } };
    return thoughtSignature === undefined ? part : { ...part, thoughtSignature };
  }

  #signature(metadata: SharedV4ProviderMetadata | undefined): string | undefined {
    return metadata === undefined ? undefined : this.#dialect.readSignature(metadata);
  }

  #version(): { modelVersion?: string } {
    return this.modelVersion === undefined ? {} : { modelVersion: cutName(this.modelVersion) };
  }
}

/** Whether a piece continues the last one: both are text or both thoughts, of one block or with the last one not signed. */
function continues(last: Said | LanguageModelV4ToolCall | undefined, { id, thought }: Piece): last is Said {
  if (last === undefined || !('part' in last) || last.part.inlineData !== undefined) return false;
  if ((last.part.thought === true) !== thought) return false;
  return last.id === id || last.part.thoughtSignature === undefined;
}

/** Usage whose counts are tokens that a call can have. */
function bounded(usage: GenerateContentResponseUsageMetadata): GenerateContentResponseUsageMetadata {
  const entries = Object.entries(usage).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'number' ? tokenCount(value) : value,
  ]);
  return Object.fromEntries(entries) as GenerateContentResponseUsageMetadata;
}

function brokenOff(): ModelCallError {
  return new ModelCallError('MODEL_STREAM_BROKEN', 'The model broke off before the end of its answer.');
}
