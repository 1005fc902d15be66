import { BaseTool, type RunAsyncToolRequest } from '@google/adk/core';
import type { FunctionDeclaration, Schema } from '@google/genai';

/** The definition of a built-in tool. */
export interface BuiltInToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly isLongRunning?: boolean;
  /** Whether a call may be made again when nobody knows how far it came. */
  readonly idempotent?: boolean;
  /** Answers the call. The message of an error that it throws is answered as `{error}`. Null from a long-running tool: no answer yet. */
  run(request: RunAsyncToolRequest): unknown;
}

/** Creates a tool whose failures are results, so that no failure ends a run. */
export class BuiltInTool extends BaseTool {
  readonly idempotent: boolean;
  readonly #spec: BuiltInToolSpec;

  constructor(spec: BuiltInToolSpec) {
    super({ name: spec.name, description: spec.description, isLongRunning: spec.isLongRunning ?? false });
    this.idempotent = spec.idempotent === true;
    this.#spec = spec;
  }

  override _getDeclaration(): FunctionDeclaration {
    return { name: this.name, description: this.description, parameters: this.#spec.parameters };
  }

  override async runAsync(request: RunAsyncToolRequest): Promise<unknown> {
    try {
      return await this.#spec.run(request);
    } catch (error) {
      return { error: error instanceof Error ? error.message : `The tool ${this.name} failed.` };
    }
  }
}
