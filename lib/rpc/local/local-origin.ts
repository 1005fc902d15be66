import { abortFailure, type CallOrigin, outgoingContext, withContext } from '../call/index.ts';
import { CallUntil } from './call-until.ts';

/** Connect's options of a call that services heed. */
export interface LocalOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly headers?: HeadersInit | undefined;
}

/** Shared by all calls without headers, whose handlers look for a key of idempotency. The request context is not read from headers. Made when it is needed: Node loads its HTTP client for it. */
let noHeaders: Headers | undefined;

/** The caller's side of a call within the process. Throws when it has left already. */
export function localOrigin(caller: string, options: LocalOptions = {}): CallOrigin {
  const { timeoutMs, headers } = options;
  const left = options instanceof CallUntil ? options.left : undefined;
  const signal = left === undefined ? options.signal : undefined;
  if (left?.ended !== undefined) throw abortFailure(left.ended);
  if (signal?.aborted) throw abortFailure(signal.reason);
  const given = headers === undefined ? undefined : new Headers(headers);
  const context = outgoingContext(given);
  return {
    protocolName: 'local',
    caller,
    context,
    header: () => (given === undefined ? (noHeaders ??= new Headers()) : withContext(given, context)),
    timeoutMs,
    signal,
    left,
  };
}
