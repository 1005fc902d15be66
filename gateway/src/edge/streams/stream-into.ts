import type { Stopping } from '@agentmesh/lib/wait';

/**
 * Makes a call whose messages are made from a body that is still arriving. An error of the body ends `left`, with which the call ends, and is thrown
 * instead of the call's error; other errors of the call are thrown unchanged.
 */
export async function streamInto<Message, Answer>(
  messages: AsyncIterable<Message>,
  left: Stopping,
  call: (messages: AsyncIterable<Message>) => Promise<Answer>,
): Promise<Answer> {
  let fault: unknown;
  async function* watched(): AsyncGenerator<Message> {
    try {
      yield* messages;
    } catch (error) {
      fault = error;
      left.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }
  try {
    return await call(watched());
  } catch (error) {
    throw fault ?? error;
  }
}
