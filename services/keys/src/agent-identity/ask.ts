import { type Reply, requestJson } from '../reply.ts';

export interface Question {
  readonly url: string;
  readonly token: string;
  /** Posted as JSON; without one the address is read. */
  readonly body?: object;
}

/** Asks the credential service once. Throws the reason of the signal only. */
export function ask({ url, token, body }: Question, signal: AbortSignal): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
  return requestJson(url, { ...sent, headers }, signal);
}
