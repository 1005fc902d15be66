import {
  AUTH_PREPROCESSOR,
  BaseLlmRequestProcessor,
  CONTENT_REQUEST_PROCESSOR,
  type Event,
  INTERACTIONS_REQUEST_PROCESSOR,
  type InvocationContext,
  isCompactedEvent,
  isLlmAgent,
  type LlmAgent,
  type LlmRequest,
  NO_EVENTS,
} from '@google/adk/core';
import type { Content } from '@google/genai';
import { hasPartOfTool, hasPartsOfTools, plainOf } from '../../turns/history/parts-of-tools.ts';

/** Steps without effect here: agents that ask for credentials have CredentialAnswers, and no model is called through Gemini's interactions API. */
const idle: ReadonlySet<BaseLlmRequestProcessor> = new Set([AUTH_PREPROCESSOR, INTERACTIONS_REQUEST_PROCESSOR]);

/** Names of ADK's classes that it does not export. */
const [codeExecution, toolFilter] = ['CodeExecutionRequestProcessor', 'ToolFilterRequestProcessor'];

/** Steps that have no effect in most calls, by the names of their classes: each reads what it needs, some of it several times. */
const needs: ReadonlyMap<string, (context: InvocationContext) => boolean> = new Map([
  // A conversation without calls and responses has no answers to questions of tools.
  ['RequestConfirmationLlmRequestProcessor', ({ session }) => hasPartsOfTools(session)],
  ['RequestInputLlmRequestProcessor', ({ session }) => hasPartsOfTools(session)],
  ['InstructionsLlmRequestProcessor', mayHaveInstructions],
  ['AgentTransferLlmRequestProcessor', hasAgentsBeside],
]);

/** The name of a step's class, also of one that is left out where it has no effect. */
export function stepName(processor: BaseLlmRequestProcessor): string {
  return processor instanceof NeededStep ? processor.name : processor.constructor.name;
}

/**
 * ADK's steps that make a model's request, without those that do nothing for an agent: each costs every call some turns of the event loop, and the choice of
 * tools by plugins a second list of all tools.
 */
export function requestProcessors(
  { requestProcessors: usual, codeExecutor }: Pick<LlmAgent, 'requestProcessors' | 'codeExecutor'>,
  { mayHavePlugins }: { readonly mayHavePlugins: boolean },
): BaseLlmRequestProcessor[] {
  const isIdle = (processor: BaseLlmRequestProcessor): boolean => {
    const { name } = processor.constructor;
    if (name === codeExecution) return codeExecutor === undefined;
    return name === toolFilter ? !mayHavePlugins : idle.has(processor);
  };
  const used = usual.filter((processor) => !isIdle(processor));
  return used.map((processor) => {
    if (processor === CONTENT_REQUEST_PROCESSOR) return new Conversation();
    const isNeeded = needs.get(processor.constructor.name);
    return isNeeded === undefined ? processor : new NeededStep(processor, isNeeded);
  });
}

/** A step of ADK that is begun only where it has an effect. */
class NeededStep extends BaseLlmRequestProcessor {
  readonly #step: BaseLlmRequestProcessor;
  readonly #isNeeded: (context: InvocationContext) => boolean;

  constructor(step: BaseLlmRequestProcessor, isNeeded: (context: InvocationContext) => boolean) {
    super();
    this.#step = step;
    this.#isNeeded = isNeeded;
  }

  get name(): string {
    return this.#step.constructor.name;
  }

  override runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    return this.#isNeeded(context) ? this.#step.runAsync(context, request) : NO_EVENTS;
  }
}

function mayHaveInstructions({ agent }: InvocationContext): boolean {
  if (!isLlmAgent(agent)) return false;
  const { rootAgent } = agent;
  const isGlobal = isLlmAgent(rootAgent) && Boolean(rootAgent.globalInstruction);
  return isGlobal || Boolean(agent.instruction) || agent.outputSchema !== undefined;
}

/** An agent without others above and below it can transfer to none. */
function hasAgentsBeside({ agent }: InvocationContext): boolean {
  return agent !== undefined && (agent.parentAgent !== undefined || agent.subAgents.length > 0);
}

/**
 * The conversation. ADK copies all of it for each call of a model, which was a fifth of the memory that runs took; the contents of
 * a plain conversation are passed as they are, since no code changes them. Contents that have to be rearranged are left to ADK:
 * calls of tools, branches, events of other agents, summaries.
 */
class Conversation extends BaseLlmRequestProcessor {
  override runAsync(context: InvocationContext, request: LlmRequest): AsyncGenerator<Event, void, void> {
    const contents = plainContents(context);
    if (contents === undefined) return CONTENT_REQUEST_PROCESSOR.runAsync(context, request);
    request.contents = contents;
    return NO_EVENTS;
  }
}

/** Undefined when the conversation is not plain. */
function plainContents({ agent, branch, session }: InvocationContext): Content[] | undefined {
  if (!isLlmAgent(agent) || agent.includeContents !== 'default' || branch) return undefined;
  const contents: Content[] = [];
  let index = -plainOf(session);
  for (const event of session.events) {
    if (!isPlain(event, agent.name) || (index >= 0 && hasPartOfTool(event))) return undefined;
    index += 1;
    const { content } = event;
    if (content?.role && content.parts?.[0]?.text !== '') contents.push(content);
  }
  return contents;
}

function isPlain(event: Event, agentName: string): boolean {
  if (event.author !== 'user' && event.author !== agentName) return false;
  return !isCompactedEvent(event) && event.isolationScope === undefined;
}
