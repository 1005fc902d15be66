/** Most bytes of one answer: what a model says is kept in memory. */
const maxBytes = 64 * 1024 * 1024;

/**
 * A fetch for model providers. Redirects are not followed: they would carry the key to another server. An answer that
 * grows over 64 MiB breaks.
 */
export function createVendorFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit()), { status, statusText, headers });
  };
}

function limit(): TransformStream<Uint8Array, Uint8Array> {
  let received = 0;
  return new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      if (received > maxBytes) controller.error(new Error('The answer is too large.'));
      else controller.enqueue(chunk);
    },
  });
}
