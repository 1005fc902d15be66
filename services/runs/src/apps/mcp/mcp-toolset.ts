import { type BaseTool, BaseToolset, type ReadonlyContext, type RunAsyncToolRequest } from '@google/adk/core';
import type { FunctionDeclaration } from '@google/genai';
import { accountOf, missingToolsOf } from '../../models/use/model-caller.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import type { ListedTool } from './connection/listed-tools.ts';
import type { McpLink, McpUse } from './mcp-link.ts';
import { ToolsUnavailable } from './tools-unavailable.ts';
import { McpTool } from './mcp-tool.ts';

/** Settings of a `MCPToolset` of an agent. */
export interface McpToolsetSpec {
  readonly link: McpLink;
  /** Names of the server's tools that the agent gets; absent: all. */
  readonly filter?: readonly string[];
  /** A run ends as failed when the server cannot be used; else it goes on without the tools. */
  readonly isRequired?: boolean;
  /** Goes before each name, with `_` between. */
  readonly prefix?: string;
  /** Changes each tool as the agent's file says. */
  readonly finish?: (tool: BaseTool) => BaseTool;
}

const never = new AbortController().signal;
/** Names that ADK calls itself. */
const reserved = /^(adk_request_|set_model_response$|transfer_to_agent$|finish_task$)/;
const longestName = 64;

/** The tools of an MCP server. A server that cannot be used leaves the agent without its tools, and the run goes on unless they are required. */
export class McpToolset extends BaseToolset {
  readonly #spec: McpToolsetSpec;

  constructor(spec: McpToolsetSpec) {
    super([], spec.prefix);
    this.#spec = spec;
  }

  override async getTools(context?: ReadonlyContext): Promise<BaseTool[]> {
    if (context === undefined) return [];
    const use = useOf(context, context.invocationContext.abortSignal);
    try {
      return this.#toTools((await this.#spec.link.listTools(use)).tools);
    } catch (error) {
      // The link has told the reason.
      use.signal.throwIfAborted();
      if (this.#spec.isRequired === true) throw new ToolsUnavailable(error);
      return [];
    }
  }

  /** The descriptions of the tools that models get. Fails with McpFailure, or the reason of the signal. */
  async declarations(use: McpUse): Promise<FunctionDeclaration[]> {
    const tools = this.#toTools((await this.#spec.link.listTools(use)).tools);
    return tools.flatMap((tool) => tool._getDeclaration() ?? []);
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  #toTools(listed: readonly ListedTool[]): BaseTool[] {
    const { filter, finish = (tool: BaseTool) => tool } = this.#spec;
    const chosen = filter === undefined ? listed : listed.filter(({ name }) => filter.includes(name));
    const tools = new Map<string, BaseTool>();
    for (const one of chosen) {
      const name = this.#nameOf(one);
      // ADK looks tools up in an object, which has the names of all objects.
      if (reserved.test(name) || name in Object.prototype || tools.has(name)) continue;
      tools.set(name, finish(new McpTool({ listed: one, name, call: (request) => this.#call(one, request) })));
    }
    return [...tools.values()];
  }

  /** Models take letters, digits, `_` and `-`, at most 64 of them. */
  #nameOf({ name }: ListedTool): string {
    const { prefix } = this.#spec;
    const full = prefix === undefined ? name : `${prefix}_${name}`;
    return full.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
  }

  #call(tool: ListedTool, { args, toolContext }: RunAsyncToolRequest): Promise<unknown> {
    const call = { tool, args, idempotencyKey: idempotencyKeyOf(toolContext) };
    return this.#spec.link.callTool(useOf(toolContext, toolContext.abortSignal), call);
  }
}

function useOf(context: ReadonlyContext, signal: AbortSignal | undefined): McpUse {
  const accountId = accountOf(context.invocationContext.session) ?? '';
  const missing = missingToolsOf(context.invocationContext.session);
  return { accountId, state: (key) => context.state.get(key), signal: signal ?? never, missing };
}
