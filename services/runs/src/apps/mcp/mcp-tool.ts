import { BaseTool, type LlmRequest, type RunAsyncToolRequest } from '@google/adk/core';
import type { FunctionDeclaration } from '@google/genai';
import type { ListedTool } from './connection/listed-tools.ts';
import { McpFailure } from './connection/mcp-failure.ts';

/** Most bytes of an answer that becomes part of the conversation. */
const mostBytes = 1024 * 1024;

export interface McpToolSpec {
  readonly listed: ListedTool;
  /** Name under which models call it. */
  readonly name: string;
  /** Calls the server's tool. Fails with McpFailure, or with the reason of the signal. */
  readonly call: (request: RunAsyncToolRequest) => Promise<unknown>;
}

/** A tool of an MCP server. Its failures are results, so that no server ends a run. */
export class McpTool extends BaseTool {
  readonly idempotent: boolean;
  readonly #spec: McpToolSpec;

  constructor(spec: McpToolSpec) {
    super({ name: spec.name, description: spec.listed.description });
    this.idempotent = spec.listed.idempotent === true;
    this.#spec = spec;
  }

  override _getDeclaration(): FunctionDeclaration {
    return { name: this.name, description: this.description, parametersJsonSchema: this.#spec.listed.inputSchema };
  }

  /** A name that another tool of the agent has belongs to that tool: ADK would end the run. */
  override async processLlmRequest(request: { llmRequest: LlmRequest } & Parameters<BaseTool['processLlmRequest']>[0]) {
    if (!Object.hasOwn(request.llmRequest.toolsDict, this.name)) await super.processLlmRequest(request);
  }

  override async runAsync(request: RunAsyncToolRequest): Promise<unknown> {
    try {
      return checked(await this.#spec.call(request));
    } catch (error) {
      request.toolContext.abortSignal?.throwIfAborted();
      return { error: error instanceof McpFailure ? error.message : `The tool ${this.name} failed.` };
    }
  }
}

/** The answer without the protocol's own fields. */
function checked(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { _meta: _, ...rest } = answer as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(rest)) <= mostBytes) return rest;
  return { error: `The tool answered with more than ${mostBytes} bytes.` };
}
