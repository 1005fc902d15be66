import type { BaseTool, RunAsyncToolRequest } from '@google/adk';
import { Type } from '@google/genai';
import type { GuardedFetch } from '../outbound/index.ts';
import { BuiltInTool } from './built-in-tool.ts';
import { readText } from './read-text.ts';

/** How much of a body the model is given, in bytes. */
const maxBodyBytes = 65_536;

/** `http_get`: `{url}` -> `{status, contentType, body}`; a longer body is cut and `truncated` is true. */
export function createHttpGet({ fetch }: { readonly fetch: GuardedFetch }): BaseTool {
  return new BuiltInTool({
    name: 'http_get',
    description: 'Fetches a public http or https address and answers its status, content type and text.',
    parameters: {
      type: Type.OBJECT,
      properties: { url: { type: Type.STRING, description: 'the whole address, with http:// or https://' } },
      required: ['url'],
    },
    run: (request) => get(request, fetch),
  });
}

async function get({ args, toolContext }: RunAsyncToolRequest, fetch: GuardedFetch): Promise<unknown> {
  const signal = toolContext.abortSignal;
  const response = await fetch(readText(args, 'url'), {
    maxBodyBytes,
    headers: { accept: 'text/*, application/json;q=0.9, */*;q=0.5' },
    ...(signal === undefined ? {} : { signal }),
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: new TextDecoder().decode(response.body),
    ...(response.truncated ? { truncated: true } : {}),
  };
}
