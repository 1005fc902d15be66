/** Runs grpc-js code without stack traces: it captures one for each call, for errors whose stacks are never shown. */
export function withoutStack<T>(start: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return start();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
