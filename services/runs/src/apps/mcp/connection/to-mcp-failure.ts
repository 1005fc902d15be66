import { AnswerRefused, OutboundError } from '@agentmesh/lib/outbound';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { McpFailure } from './mcp-failure.ts';

/** Longest part of a server's own message that is passed on. */
const longestMessage = 500;

/** Describes why a call failed, without addresses, headers or stack traces. */
export function toMcpFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (!(error instanceof ProtocolError)) return new McpFailure(describe(error));
  const text = error.message.slice(0, longestMessage);
  return new McpFailure(`The MCP server refused: ${text}`, { loggable: `The MCP server refused (${error.code}).` });
}

function describe(error: unknown): string {
  const refusal = causeOf(error, (one) => one instanceof OutboundError);
  if (refusal !== undefined) return refusal.message;
  const own = causeOf(error, (one) => one instanceof McpFailure || one instanceof AnswerRefused);
  if (own !== undefined) return own.message;
  if (error instanceof SdkHttpError) return `The MCP server answered with the HTTP status ${error.status}.`;
  if (causeOf(error, (one) => one instanceof TypeError) !== undefined) return 'The MCP server could not be reached.';
  if (error instanceof SdkError) return ofCode(error);
  if (error instanceof Error && error.name === 'TimeoutError') return 'The MCP server did not answer in time.';
  return 'The MCP server could not be reached.';
}

function ofCode({ code }: SdkError): string {
  if (code === SdkErrorCode.RequestTimeout) return 'The MCP server did not answer in time.';
  if (code === SdkErrorCode.ConnectionClosed) return 'The MCP server closed the connection.';
  if (code === SdkErrorCode.InvalidResult) return 'The answer of the MCP server is not valid.';
  return `The MCP server could not be used (${code}).`;
}

/** The first of an error and its causes that fits. */
function causeOf(error: unknown, fits: (error: Error) => boolean): Error | undefined {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if (fits(at)) return at;
    at = at.cause;
  }
  return undefined;
}

/** Whether the server has forgotten the session of the connection, so that it has not done what it was asked to. */
export function hasForgottenSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** Whether the connection still works: the server itself answered with an error. */
export function isAnswer(error: unknown): boolean {
  return error instanceof ProtocolError;
}
