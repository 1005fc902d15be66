import { BaseLlmRequestProcessor, type Event, type InvocationContext, type LlmRequest } from '@google/adk/core';
import type { Content } from '@google/genai';
import { stepName } from './request-processors.ts';

/** ADK does not export its processor of instructions. */
const ofInstructions = 'InstructionsLlmRequestProcessor';

/**
 * Gives an agent a static instruction, as ADK for Python does: it is sent literally as the system instruction, and the agent's other
 * instruction, with its variables, becomes a message of the user before the newest ones. So the beginning of a request stays the same, and vendors
 * can cache it.
 */
export function withStaticInstruction(
  processors: readonly BaseLlmRequestProcessor[],
  text: string,
): BaseLlmRequestProcessor[] {
  const usual = processors.find((processor) => stepName(processor) === ofInstructions);
  if (usual === undefined) throw new Error('This version of ADK has no processor of instructions.');
  const moved = new WeakMap<LlmRequest, string>();
  const first = processors.map((processor) => (processor === usual ? new StaticFirst(usual, text, moved) : processor));
  return [...first, new InstructionAsMessage(moved)];
}

class StaticFirst extends BaseLlmRequestProcessor {
  readonly #usual: BaseLlmRequestProcessor;
  readonly #text: string;
  readonly #moved: WeakMap<LlmRequest, string>;

  constructor(usual: BaseLlmRequestProcessor, text: string, moved: WeakMap<LlmRequest, string>) {
    super();
    this.#usual = usual;
    this.#text = text;
    this.#moved = moved;
  }

  override async *runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const before = request.config?.systemInstruction;
    request.config = { ...request.config, systemInstruction: '' };
    yield* this.#usual.runAsync(context, request);
    const { systemInstruction: instruction } = request.config;
    if (typeof instruction === 'string' && instruction !== '') this.#moved.set(request, instruction);
    const first = typeof before === 'string' && before !== '' ? `${before}\n\n` : '';
    request.config.systemInstruction = first + this.#text;
  }
}

class InstructionAsMessage extends BaseLlmRequestProcessor {
  readonly #moved: WeakMap<LlmRequest, string>;

  constructor(moved: WeakMap<LlmRequest, string>) {
    super();
    this.#moved = moved;
  }

  override async *runAsync(_context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const text = this.#moved.get(request);
    if (text === undefined) return;
    const at = request.contents.findLastIndex((content) => !isOfUser(content)) + 1;
    request.contents = request.contents.toSpliced(at, 0, { role: 'user', parts: [{ text }] });
    yield* [];
  }
}

/** Answers of tools belong to the calls before them. */
function isOfUser({ role, parts = [] }: Content): boolean {
  return role === 'user' && parts.every(({ functionResponse }) => functionResponse === undefined);
}
