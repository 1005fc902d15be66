/** Largest answer in bytes, because it is kept in memory. */
const longestAnswer = 64 * 1024 * 1024;

/**
 * A fetch for model providers. Redirects are not followed: they would carry the key to another server. An answer that
 * grows over `maxBytes`, 64 MiB when absent, breaks.
 */
export function createVendorFetch(
  fetch: typeof globalThis.fetch = globalThis.fetch,
  maxBytes = longestAnswer,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit(maxBytes)), { status, statusText, headers });
  };
}

function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let received = 0;
  return new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      if (received > maxBytes) controller.error(new Error('The answer is too large.'));
      else controller.enqueue(chunk);
    },
  });
}
