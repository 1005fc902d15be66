import type { FunctionResponse } from '@google/genai';

interface Body {
  readonly contents: readonly { readonly parts: readonly { functionResponse?: FunctionResponse }[] }[];
}

/**
 * A fetch that sends Gemini a tool's answer itself, as ADK does. The SDK sends `{"name", "content": the answer}`, and the answer as text
 * where it has images or a `$ref`.
 */
export function withOwnAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const body = init?.body;
    if (typeof body !== 'string' || !body.includes('"functionResponse"')) return fetch(input, init);
    return fetch(input, { ...init, body: unwrapAnswers(body) });
  };
}

function unwrapAnswers(body: string): string {
  const request = JSON.parse(body) as Body;
  const parts = request.contents.flatMap((content) => content.parts);
  for (const { functionResponse } of parts) {
    const content = functionResponse?.response?.['content'];
    if (functionResponse !== undefined && content !== undefined) functionResponse.response = toObject(content);
  }
  return JSON.stringify(request);
}

/** Answers of tools are objects here; only their form on the wire differs. */
function toObject(content: unknown): Record<string, unknown> {
  return (typeof content === 'string' ? JSON.parse(content) : content) as Record<string, unknown>;
}
