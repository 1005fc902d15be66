/** Tools that a run must have cannot be used. */
export class ToolsUnavailable extends Error {
  override readonly name = 'ToolsUnavailable';

  constructor(cause: unknown) {
    super(`Tools that the agent requires are not available. ${cause instanceof Error ? cause.message : ''}`.trim(), {
      cause,
    });
  }
}

/** Whether an error is ToolsUnavailable, also one that comes from a worker. */
export function isToolsUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ToolsUnavailable';
}
