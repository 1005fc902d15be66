import type { Event } from '@google/adk/core';

/**
 * Names the arguments of ADK's `adk_request_credential` as its Python server and its web UI do: ADK for JavaScript writes
 * `function_call_id` and `auth_config`, and reads both.
 */
export function nameCredentialArgs(event: Event): void {
  if (!event.longRunningToolIds?.length) return;
  for (const { functionCall } of event.content?.parts ?? []) {
    if (functionCall?.name !== 'adk_request_credential' || functionCall.args === undefined) continue;
    const { function_call_id: functionCallId, auth_config: authConfig, ...others } = functionCall.args;
    functionCall.args = {
      ...others,
      ...(functionCallId !== undefined && { functionCallId }),
      ...(authConfig !== undefined && { authConfig }),
    };
  }
}
