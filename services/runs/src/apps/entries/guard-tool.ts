import {
  type BaseTool,
  BaseToolset,
  type Context,
  type ReadonlyContext,
  type RunAsyncToolRequest,
} from '@google/adk/core';
import { withinDeadline } from '@agentmesh/lib/wait';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { holdLease } from '../../models/use/model-caller.ts';
import { idempotencyKeyOf } from '../mcp/idempotency-key.ts';
import { isToolsUnavailable } from '../mcp/tools-unavailable.ts';

export interface ToolHooks {
  /** Called when a tool begins; the function that it returns is called when it has ended. */
  readonly onCall?: (tool: string, context: Context) => () => void;
  /** Told what a tool has thrown, unless its run was being stopped. ADK answers the model with the message alone. */
  readonly onFailure?: (tool: string, context: Context, error: unknown) => void;
  /** Told why a toolset has no tools. Absent: the failure ends the run. */
  readonly onToolsetFailure?: (toolset: string, error: unknown) => void;
  /** Changes each answer. */
  readonly finish?: (tool: string, answer: unknown) => unknown;
}

export interface GuardOptions extends ToolHooks {
  /** Longest time in milliseconds that a tool may take, unless it has `timeoutSeconds` of its own. */
  readonly timeoutMs: number;
}

/** A timer of Node that is set to more ends at once. */
const longestTimerMs = 2 ** 31 - 1;

const guarded = new WeakSet<object>();

/**
 * Gives each call of a tool, or of the tools of a toolset, a time limit and a key: `toolContext.idempotencyKey`. A tool that takes longer
 * answers the model with an error, and `toolContext.abortSignal` aborts. The tool itself is changed; guarding it twice changes nothing.
 */
export function guardTool<T extends BaseTool | BaseToolset>(tool: T, options: GuardOptions): T {
  if (guarded.has(tool)) return tool;
  guarded.add(tool);
  if (tool instanceof BaseToolset) guardToolset(tool, options);
  else {
    guardCalls(tool, options);
    if (options.onFailure !== undefined) noteThrown(tool);
    letToolsAsk(tool);
  }
  return tool;
}

/** A toolset of code that fails, e.g. because its server is away, leaves the agent without its tools. */
function guardToolset(toolset: BaseToolset, options: GuardOptions): void {
  const getTools = toolset.getTools.bind(toolset);
  const { name } = toolset.constructor;
  const late = new Error(`The toolset ${name} did not answer in time.`);
  toolset.getTools = async (context?: ReadonlyContext) => {
    try {
      const tools = await withinDeadline(getTools(context), options.timeoutMs, () => Promise.reject(late));
      for (const tool of tools) guardTool(tool, options);
      return tools;
    } catch (error) {
      if (options.onToolsetFailure === undefined || isToolsUnavailable(error)) throw error;
      context?.invocationContext.abortSignal?.throwIfAborted();
      options.onToolsetFailure(name, error);
      return [];
    }
  };
}

function guardCalls(tool: BaseTool, { timeoutMs, onCall, onFailure, finish }: GuardOptions): void {
  const runAsync = tool.runAsync.bind(tool);
  tool.runAsync = async (request: RunAsyncToolRequest) => {
    const { toolContext } = request;
    const { abortSignal: stopped } = toolContext;
    const renewal = holdLease(toolContext.invocationContext.session);
    if (renewal !== undefined) await renewal;
    const ended = onCall?.(tool.name, toolContext);
    const late = new AbortController();
    const limitMs = ownLimit(tool) ?? timeoutMs;
    const abort = (): void => late.abort(lateAnswer(tool.name, limitMs));
    const timer = setTimeout(abort, Math.min(limitMs, longestTimerMs));
    prepare(toolContext, late.signal);
    try {
      const answer = await unlessLate(runAsync(request), late.signal);
      return finish === undefined ? answer : finish(tool.name, answer);
    } catch (error) {
      if (stopped?.aborted !== true) {
        const cause = thrown.get(toolContext) ?? error;
        noteFailure(cause);
        onFailure?.(tool.name, toolContext, cause);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      ended?.();
    }
  };
}

function noteFailure(cause: unknown): void {
  const span = trace.getActiveSpan();
  span?.recordException(cause instanceof Error ? cause : String(cause));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** The errors that functions of tools have thrown, by their calls: ADK's FunctionTool passes on the messages alone. */
const thrown = new WeakMap<Context, unknown>();

function noteThrown(tool: BaseTool): void {
  const execute: unknown = Reflect.get(tool, 'execute');
  if (typeof execute !== 'function') return;
  const noting = async (...args: unknown[]): Promise<unknown> => {
    try {
      return (await Reflect.apply(execute, tool, args)) as unknown;
    } catch (error) {
      const [, context] = args as [unknown, Context | undefined];
      if (context !== undefined) thrown.set(context, error);
      throw error;
    }
  };
  Reflect.set(tool, 'execute', noting);
}

/** Milliseconds; undefined when the tool has no limit of its own. */
function ownLimit(tool: BaseTool): number | undefined {
  const seconds: unknown = Reflect.get(tool, 'timeoutSeconds');
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined;
}

function prepare(context: Context, late: AbortSignal): void {
  const { abortSignal } = context;
  Object.assign(context, {
    idempotencyKey: idempotencyKeyOf(context),
    abortSignal: abortSignal === undefined ? late : AbortSignal.any([abortSignal, late]),
  });
}

function lateAnswer(name: string, limitMs: number): Error {
  return new Error(`The tool ${name} did not answer within ${limitMs / 1_000} s.`);
}

async function unlessLate(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const late = Promise.withResolvers<unknown>();
  const onLate = (): void => late.resolve({ error: (signal.reason as Error).message });
  signal.addEventListener('abort', onLate, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener('abort', onLate);
  }
}

/**
 * ADK lets a call go on after an approval only if its tool always asks. A tool may also ask by `toolContext.requestConfirmation`: then the
 * agent's own event says that it has asked for this call.
 */
function letToolsAsk(tool: BaseTool): void {
  const asksAlways = tool.checkRequireConfirmation.bind(tool);
  tool.checkRequireConfirmation = async (args, context) => {
    // The call itself has the answer already, and decides what to do with it.
    const isChecked = context !== undefined && context.toolConfirmation === undefined;
    return (await asksAlways(args, context)) || (isChecked && hasAsked(context));
  };
}

function hasAsked({ invocationContext, functionCallId = '' }: Context): boolean {
  const { session, agent } = invocationContext;
  return session.events.some(
    ({ author, actions }) =>
      author === agent?.name && Object.hasOwn(actions.requestedToolConfirmations, functionCallId),
  );
}
