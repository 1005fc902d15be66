import type { Event } from '@google/adk/core';

const limitText = /^Max number of llm calls limit of (\d+) exceeded$/;

/** Gives ADK's event for too many model calls its own code, and a text that names the setting. */
export function nameCallLimit(event: Event): void {
  const [, limit] = limitText.exec(event.errorMessage ?? '') ?? [];
  if (limit === undefined || event.errorCode !== 'UNKNOWN_ERROR') return;
  event.errorCode = 'MAX_MODEL_CALLS';
  event.errorMessage = `The run reached the limit of ${limit} model calls (RUNS_MAX_MODEL_CALLS, or run_limits of the app).`;
}
