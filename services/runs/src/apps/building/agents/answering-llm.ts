import {
  type BaseAgent,
  type BaseLlm as AdkLlm,
  type BaseLlmConnection,
  BaseLlm,
  BaseTool,
  type LlmRequest,
  type LlmResponse,
  type RunAsyncToolRequest,
} from '@google/adk/core';
import { FinishReason, type FunctionDeclaration, type Part, Type } from '@google/genai';

const transferName = 'transfer_to_agent';
const answering = [
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'inlineData',
  'fileData',
] as const;

/**
 * A model whose calls of unknown tools and transfers to unknown agents are answered with an error. ADK 2.0.0 answers the
 * former with nothing and asks the model again, with the same history, until the limit of calls; the latter ends the run.
 * A whole answer without content has the error of ADK for Python, `MODEL_RETURNED_NO_CONTENT`; ADK 2.0.0 ends the run without an event.
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
    let hasContent = false;
    guardTransfer(request);
    for await (const response of this.#inner.generateContentAsync(request, stream, signal)) {
      addUnknownTools(request, response);
      // Some models stream their content first, and end with a response that has none.
      hasContent ||= says(response);
      yield hasContent || !isEmptyAnswer(response) ? response : withError(response);
    }
  }

  override connect(request: LlmRequest): Promise<BaseLlmConnection> {
    return this.#inner.connect(request);
  }
}

function says({ content }: LlmResponse): boolean {
  return content?.parts?.some(isAnswer) ?? false;
}

/** Whether a part is more than a thought or white space. */
function isAnswer(part: Part): boolean {
  if (part.text !== undefined && part.thought !== true && part.text.trim() !== '') return true;
  return answering.some((key) => part[key] !== undefined);
}

function isEmptyAnswer({ partial, errorCode, finishReason }: LlmResponse): boolean {
  return partial !== true && errorCode === undefined && finishReason === FinishReason.STOP;
}

function withError(response: LlmResponse): LlmResponse {
  const [errorCode, errorMessage] = ['MODEL_RETURNED_NO_CONTENT', 'The model returned no content.'];
  return { ...response, errorCode, errorMessage: response.errorMessage ?? errorMessage };
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

/** Has the tool declared as by ADK for Python, whose name of the argument clients and prompts know. */
function guardTransfer({ toolsDict, config }: LlmRequest): void {
  const transfer = Object.hasOwn(toolsDict, transferName) ? toolsDict[transferName] : undefined;
  if (transfer === undefined || transfer instanceof TransferTool) return;
  const tool = new TransferTool(transfer);
  toolsDict[transferName] = tool;
  for (const declared of config?.tools ?? []) {
    if (!('functionDeclarations' in declared)) continue;
    const index = declared.functionDeclarations?.findIndex(({ name }) => name === transferName) ?? -1;
    if (index !== -1) declared.functionDeclarations?.splice(index, 1, tool._getDeclaration());
  }
}

/** Takes the agent's name as `agent_name`, as in ADK for Python, and as `agentName`. */
class TransferTool extends BaseTool {
  readonly #inner: BaseTool;

  constructor(inner: BaseTool) {
    super({ name: inner.name, description: inner.description });
    this.#inner = inner;
  }

  override _getDeclaration(): FunctionDeclaration {
    const agentName = { type: Type.STRING, description: 'the agent name to transfer to' };
    const parameters = { type: Type.OBJECT, properties: { agent_name: agentName }, required: ['agent_name'] };
    return { name: this.name, description: this.description, parameters };
  }

  override async runAsync({ args, toolContext }: RunAsyncToolRequest): Promise<unknown> {
    const name = args['agent_name'] ?? args['agentName'];
    const root = toolContext.invocationContext.agent?.rootAgent;
    if (root === undefined || (typeof name === 'string' && root.findAgent(name) !== undefined)) {
      return this.#inner.runAsync({ args: { agentName: name }, toolContext });
    }
    return { error: `There is no agent ${JSON.stringify(name ?? '')}. Agents: ${agentNames(root).join(', ')}.` };
  }
}

function agentNames(agent: BaseAgent): string[] {
  return [agent.name, ...agent.subAgents.flatMap(agentNames)];
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
