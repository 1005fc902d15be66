import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model behind OpenAI's API that streams one word and then nothing, until its caller leaves. */
export interface HangingModel extends AsyncDisposable {
  /** Value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  /** Resolves when the model was asked with a message that contains this text, for the time at which the caller's socket closes. */
  asked(text: string): Promise<{ readonly closed: Promise<number> }>;
}

const chunk = {
  id: 'c',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'test-model',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'so far ' }, finish_reason: null }],
};

export async function startHangingModel(): Promise<HangingModel> {
  const calls = new Map<string, PromiseWithResolvers<{ readonly closed: Promise<number> }>>();
  const callOf = (text: string) => {
    const call = calls.get(text) ?? Promise.withResolvers<{ readonly closed: Promise<number> }>();
    calls.set(text, call);
    return call;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      const { promise: closed, resolve } = Promise.withResolvers<number>();
      response.once('close', () => resolve(performance.now()));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      callOf(/call-\d+-/.exec(body)?.[0] ?? '').resolve({ closed });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: (text) => callOf(text).promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
