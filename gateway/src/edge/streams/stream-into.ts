/**
 * Makes a call whose messages are made from a body that is still arriving. An error of the body aborts the call and is thrown
 * instead of the call's error; other errors of the call are thrown unchanged.
 */
export async function streamInto<Message, Answer>(
  messages: AsyncIterable<Message>,
  call: (messages: AsyncIterable<Message>, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const leaving = new AbortController();
  let fault: unknown;
  async function* watched(): AsyncGenerator<Message> {
    try {
      yield* messages;
    } catch (error) {
      fault = error;
      leaving.abort();
    }
  }
  try {
    return await call(watched(), leaving.signal);
  } catch (error) {
    throw fault ?? error;
  }
}
