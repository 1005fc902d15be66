import { AgentMesh } from '@agentmesh/client';
import { signal } from '@preact/signals';

/** Whether the server could not be reached at the last request. */
export const isOffline = signal(false);
/** Called when the server answers that nobody is signed in. */
export const onSignedOut: { call: () => void } = { call: () => undefined };

/** The browser sends its cookie; the page holds no token. */
export const mesh = new AgentMesh({ token: () => undefined, tries: 3, fetch: watchedFetch });

/** Sends a request, and notes whether the server can be reached and somebody is signed in. */
export async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    isOffline.value = false;
    if (response.status === 401) onSignedOut.call();
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) isOffline.value = true;
    throw error;
  }
}
