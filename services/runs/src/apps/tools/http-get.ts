import type { BaseTool, RunAsyncToolRequest } from '@google/adk/core';
import { Type } from '@google/genai';
import type { GuardedFetch } from '@agentmesh/lib/outbound';
import { accountOf } from '../../models/use/model-caller.ts';
import { BuiltInTool } from './built-in-tool.ts';
import { readText } from './read-text.ts';

/** Most bytes of a body that the model gets. */
const maxBodyBytes = 65_536;

/**
 * `http_get`: `{url}` -> `{status, contentType, body}`. A body over 64 KiB is cut and `truncated` is true; of a body that
 * is not text only `bytes` is told.
 */
export function createHttpGet({ fetch }: { readonly fetch: GuardedFetch }): BaseTool {
  return new BuiltInTool({
    name: 'http_get',
    idempotent: true,
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
    accountId: accountOf(toolContext.invocationContext.session) ?? '',
    ...(signal === undefined ? {} : { signal }),
  });
  const contentType = response.headers.get('content-type') ?? '';
  const body = decode(response.body, contentType);
  return {
    status: response.status,
    contentType,
    ...(body.includes('\0') ? { bytes: response.body.byteLength } : { body }),
    ...(response.truncated ? { truncated: true } : {}),
  };
}

/** By the charset of the content type, else UTF-8. */
function decode(body: Uint8Array, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
