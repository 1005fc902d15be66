import { readAnswer } from '@agentmesh/lib/outbound';

/** Most bytes of a reply. */
const maxBytes = 65_536;

/** A reply of an upstream. */
export interface Reply {
  /** HTTP status; undefined when there was no reply. */
  readonly status: number | undefined;
  /** The JSON object of its body; undefined when the body is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** Its header `Retry-After`. */
  readonly retryAfter: string | null;
}

/** Requests once. Redirects are not followed: they would carry secrets to another server. Throws the reason of the signal only. */
export async function requestJson(url: string, init: RequestInit, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const retryAfter = response.headers.get('retry-after');
    return {
      status: response.status,
      json: parseObject((await readAnswer(response.body, { mostBytes: maxBytes })).toString()),
      retryAfter,
    };
  } catch {
    signal.throwIfAborted();
    return { status: undefined, json: undefined, retryAfter: null };
  }
}

function parseObject(text: string): Reply['json'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
