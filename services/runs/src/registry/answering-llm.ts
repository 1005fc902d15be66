import {
  type BaseLlm as AdkLlm,
  type BaseLlmConnection,
  BaseLlm,
  BaseTool,
  type LlmRequest,
  type LlmResponse,
} from '@google/adk';

/**
 * A model whose calls of unknown tools are answered with an error. ADK 2.0.0 answers such a call with nothing and asks the
 * model again, with the same history, until the limit of calls.
 */
export class AnsweringLlm extends BaseLlm {
  readonly #inner: AdkLlm;

  constructor(inner: AdkLlm) {
    super({ model: inner.model });
    this.#inner = inner;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream?: boolean,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    for await (const response of this.#inner.generateContentAsync(request, stream, signal)) {
      addUnknownTools(request, response);
      yield response;
    }
  }

  override connect(request: LlmRequest): Promise<BaseLlmConnection> {
    return this.#inner.connect(request);
  }
}

function addUnknownTools(request: LlmRequest, response: LlmResponse): void {
  for (const part of response.content?.parts ?? []) {
    const name = part.functionCall?.name ?? '';
    if (part.functionCall === undefined || Object.hasOwn(request.toolsDict, name)) continue;
    part.functionCall.name = name;
    Object.defineProperty(request.toolsDict, name, {
      value: new UnknownTool(name, Object.keys(request.toolsDict)),
      enumerable: false,
    });
  }
}

class UnknownTool extends BaseTool {
  readonly #known: readonly string[];

  constructor(name: string, known: readonly string[]) {
    super({ name, description: 'Answers a call of a tool that is not there.' });
    this.#known = known;
  }

  override runAsync(): Promise<unknown> {
    const known = this.#known.length === 0 ? 'none' : this.#known.join(', ');
    return Promise.resolve({ error: `There is no tool "${this.name}". Tools that can be called: ${known}.` });
  }
}
