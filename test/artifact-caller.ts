import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { Caller } from './caller.ts';

export interface Version {
  readonly version: number;
  readonly canonicalUri: string;
  readonly customMetadata: object;
  readonly createTime: number;
  readonly mimeType?: string;
}
export interface Part {
  readonly text?: string;
  readonly inlineData?: { readonly data: string; readonly mimeType?: string; readonly displayName?: string };
}
export interface Issue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly input?: unknown;
}

/** Path of the artifacts of a session, which need not exist. */
export const place = (over: { app?: string; user?: string; session?: string } = {}) =>
  `/apps/${over.app ?? 'echo'}/users/${over.user ?? 'u1'}/sessions/${over.session ?? randomUUID()}/artifacts`;

/** Calls of the artifact routes as one account. */
export function artifactCaller(caller: Caller) {
  const authorization = `Bearer ${caller.token}`;
  return {
    save: (at: string, filename: string, artifact: object, over: object = {}) =>
      caller.request<Version>('POST', at, { filename, artifact, ...over }),
    get: <Body>(path: string) => caller.request<Body>('GET', path),
    /** Sends any bytes unchanged. */
    async send(
      method: string,
      path: string,
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ) {
      const answer = await fetch(caller.url + path, { method, body, headers: { authorization, ...headers } });
      return { status: answer.status, body: (await answer.json()) as Version & { detail: string | Issue[] } };
    },
    /** Returns the status of a request with exactly this path; fetch would rewrite `..`. */
    rawStatus: (method: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(caller.url, { method, path, headers: { authorization } }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        request.on('error', reject).end();
      }),
    /** Reads the payload as bytes. */
    media: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${caller.url}${path}${path.includes('?') ? '&' : '?'}alt=media`, {
        headers: { authorization, ...headers },
      }),
  };
}
