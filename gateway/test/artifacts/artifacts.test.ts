import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { MeshError } from '@agentmesh/lib/rpc';
import { type ArtifactsService, PayloadKind, type SaveArtifactRequest } from '@agentmesh/proto/artifacts/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge, token } from '../edge.ts';

type Service = ServiceImpl<typeof ArtifactsService>;
type Save = (requests: AsyncIterable<SaveArtifactRequest>, signal: AbortSignal) => Promise<void>;

const at = '/apps/a/users/u/sessions/s/artifacts';
const version = { version: 0, canonicalUri: 'artifact://x', customMetadataJson: new Uint8Array(0), createTime: 1 };

let edge: Edge;
let authorization: string;
/** Handlers of the next save and of the next load. */
let onSave: Save;
let onLoad: Service['loadArtifact'];

beforeAll(async () => {
  edge = await startEdge({
    artifacts: {
      saveArtifact: async (requests, { signal }) => {
        await onSave(requests, signal);
        return { version };
      },
      loadArtifact: (load, context) => onLoad(load, context),
    },
  });
  authorization = `Bearer ${await token({})}`;
});
afterAll(() => edge[Symbol.asyncDispose]());

/** An upload whose body stays incomplete. */
function openUpload(method: string, path: string, headers: Record<string, string> = {}): ClientRequest {
  const sent = request(edge.url + path, { method, headers: { authorization, ...headers } });
  sent.on('error', () => undefined);
  return sent;
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: unknown }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

const uploads = [
  ['bytes', 'PUT', `${at}/x`, Buffer.alloc(100_000)],
  ['JSON', 'POST', at, Buffer.from(`{"artifact":{"inlineData":{"data":"${'A'.repeat(100_000)}`)],
] as const;

describe.each(uploads)('an upload of %s', (_, method, path, begin) => {
  it('reaches the service while the client is still sending it', async () => {
    const taken = Promise.withResolvers<void>();
    onSave = async (requests) => {
      for await (const { kind } of requests) if (kind.case === 'chunk') taken.resolve();
    };
    const sent = openUpload(method, path);
    sent.write(begin);
    await taken.promise;
    sent.destroy();
  });

  it('is not committed if the client disconnects', async () => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string[]>();
    onSave = async (requests, signal) => {
      const kinds: string[] = [];
      try {
        for await (const { kind } of requests) {
          kinds.push(kind.case ?? '');
          if (kind.case === 'chunk') begun.resolve();
        }
      } finally {
        ended.resolve([...kinds, signal.aborted ? 'aborted' : 'ended']);
      }
    };
    const sent = openUpload(method, path);
    sent.write(begin);
    await begun.promise;
    sent.destroy();
    const kinds = await ended.promise;
    expect(kinds).not.toContain('commit');
    expect(kinds.at(-1)).toBe('aborted');
  });

  it('is answered while the client is still sending if the service refuses it', async () => {
    onSave = async (requests) => {
      for await (const { kind } of requests) {
        if (kind.case === 'chunk') throw new MeshError('resource_exhausted', 'artifact_too_large', 'Too large.');
      }
    };
    const sent = openUpload(method, path);
    sent.write(begin);
    expect(await answerOf(sent)).toEqual({ status: 413, body: { detail: 'Too large.', code: 'artifact_too_large' } });
    sent.destroy();
  });

  it('without a valid token is answered before its body is read', async () => {
    onSave = () => Promise.reject(new Error('must not be called'));
    const sent = openUpload(method, path, { authorization: 'Bearer x' });
    sent.write(begin);
    expect(await answerOf(sent)).toMatchObject({ status: 401 });
    sent.destroy();
  });
});

describe('a download', () => {
  const head = { version: { ...version, size: 600_000n, sha256: 'ab' }, payload: PayloadKind.DATA };
  const partJson = Buffer.from('{"inlineData":{"mimeType":"image/png"}}');

  it.each(['', '?alt=media'])('that breaks off is cut, never ended as if it were whole (%s)', async (query) => {
    onLoad = async function* () {
      yield { kind: { case: 'head', value: { ...head, partJson } } };
      yield { kind: { case: 'chunk', value: new Uint8Array(300_000) } };
      throw new MeshError('unavailable', 'artifact_store_unavailable', 'Away.');
    };
    const sent = request(`${edge.url}${at}/x${query}`, { headers: { authorization } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    const reading = (async () => {
      for await (const _chunk of response);
    })();
    await expect(reading).rejects.toThrow('aborted');
  });

  it.each(['', '?alt=media'])('that its client leaves is left at the service (%s)', async (query) => {
    const left = Promise.withResolvers<void>();
    onLoad = async function* (_request, { signal }) {
      signal.addEventListener('abort', () => left.resolve());
      yield { kind: { case: 'head', value: { ...head, partJson } } };
      for (;;) yield { kind: { case: 'chunk', value: new Uint8Array(300_000) } };
    };
    const sent = request(`${edge.url}${at}/x${query}`, { headers: { authorization } }).end();
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    response.destroy();
    await left.promise;
  });

  it('that fails before its first byte has an error status', async () => {
    onLoad = async function* () {
      throw new MeshError('unavailable', 'artifact_store_unavailable', 'Away.');
    };
    expect(await edge.send(`${at}/x`)).toMatchObject({ status: 503, body: { code: 'artifact_store_unavailable' } });
  });
});

it('every route is described, with the parameters that it takes', async () => {
  type Operation = { parameters?: { name: string }[]; requestBody?: { content: object } };
  const { body } = await edge.send('/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const base = '/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts';
  const found = Object.entries(paths).filter(([path]) => path.startsWith(base));
  expect(
    Object.fromEntries(found.map(([path, methods]) => [path.slice(base.length), Object.keys(methods).toSorted()])),
  ).toEqual({
    '': ['get', 'post'],
    '/{artifact_name}': ['delete', 'get', 'put'],
    '/{artifact_name}/versions': ['get'],
    '/{artifact_name}/versions/metadata': ['get'],
    '/{artifact_name}/versions/{version_id}': ['get'],
    '/{artifact_name}/versions/{version_id}/metadata': ['get'],
  });
  const one = paths[`${base}/{artifact_name}`];
  const named = one?.get?.parameters?.map(({ name }) => name) ?? [];
  expect(named.toSorted()).toEqual(['alt', 'app_name', 'artifact_name', 'session_id', 'user_id', 'version']);
  expect(Object.keys(one?.put?.requestBody?.content ?? {})).toEqual(['application/octet-stream']);
});

it.each([
  ['is not sent again', { 'if-none-match': '"abc"' }, 304],
  ['has no such bytes', { range: 'bytes=9-' }, 416],
  ['is sent in part', { range: 'bytes=0-1' }, 206],
])('a payload that %s leaves no call open', async (_, headers, status) => {
  let open = 0;
  onLoad = async function* ({ length }) {
    open += 1;
    try {
      yield {
        kind: { case: 'head', value: { version: { ...version, size: 3n, sha256: 'abc' }, payload: PayloadKind.DATA } },
      };
      if (length !== 0n) yield { kind: { case: 'chunk', value: new Uint8Array(2) } };
    } finally {
      open -= 1;
    }
  };
  expect((await edge.send(`${at}/x?alt=media`, { headers })).status).toBe(status);
  await expect.poll(() => open).toBe(0);
});
