import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge[Symbol.asyncDispose]());

interface Operation {
  operationId: string;
  requestBody?: { content: object };
  parameters?: { name: string; schema: object; deprecated?: boolean }[];
  responses: object;
  security: object[];
}

interface Document {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { required?: string[]; properties: Record<string, unknown> }> };
}

describe('the description', () => {
  it('is OpenAPI 3.1 from the schemas that validate', async () => {
    const { body, text } = await edge.send('/openapi.json');
    const document = body as Document;
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      version: '0.1.2',
      'x-product-version': '0.1.0',
      license: { name: 'MIT' },
    });
    expect(
      JSON.stringify(document.components.schemas.GroundingMetadata?.properties.vendorMapsWidgetContextToken),
    ).toContain('"deprecated":true');
    expect(Object.keys(document.paths)).toContain('/apps/{app_name}/users/{user_id}/sessions/{session_id}');
    const signIn = document.paths['/api/auth/token']?.post?.requestBody;
    expect(Object.keys(signIn?.content ?? {})).toEqual(['application/json']);
    expect(signIn).toMatchObject({ 'x-forms': { $ref: '#/components/schemas/SignInForm' } });
    const ofFrames = (path: string) => document.paths[path]?.get?.responses;
    const events = { 'x-event': { $ref: '#/components/schemas/Event' } };
    const frames = { 'text/event-stream': { schema: { type: 'string', ...events } } };
    expect(ofFrames('/runs/{invocation_id}/events')).toMatchObject({ 200: { content: frames } });
    const creation = document.paths['/apps/{app_name}/users/{user_id}/sessions']?.post;
    expect(creation).toMatchObject({ requestBody: { required: false }, security: [{ password: [] }, { bearer: [] }] });
    expect(document.paths['/health']?.get).toMatchObject({ security: [] });
    const handshake = document.paths['/api/webhooks/outlook/notifications']?.post?.responses;
    expect(handshake).toMatchObject({ 200: { content: { 'text/plain': {} } } });
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(document.components.schemas).toHaveProperty(name);
    }
  });

  it('lists no values of a field that vendors may add some to, so that generated clients read new ones', async () => {
    const { schemas } = ((await edge.send('/openapi.json')).body as Document).components;
    const open = (field: string, ...members: string[]) => ({
      [field]: {
        anyOf: [
          { type: 'string', description: expect.stringContaining(members.join(', ')) as string },
          { type: 'null' },
        ],
      },
    });
    expect(schemas.Event?.properties).toMatchObject(open('finishReason', 'STOP', 'MAX_TOKENS'));
    const lists = Object.values(schemas).flatMap((record) => JSON.stringify(record).match(/"enum":\[[^\]]*/g) ?? []);
    for (const member of ['STOP', 'OUTCOME_OK', 'PYTHON', 'ON_DEMAND', 'IMAGE', 'SILENT', 'GOOGLE_MAPS'])
      expect(lists.filter((list) => list.includes(`"${member}"`))).toEqual([]);
    expect(lists.join()).toContain('"queued"');
  });

  it('names every operation once, with its answers', async () => {
    const { paths } = (await edge.send('/openapi.json')).body as Document;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    const answersOf = (id: string) =>
      Object.keys(operations.find(({ operationId }) => operationId === id)?.responses ?? {}).join(' ');
    expect(answersOf('runAgent')).toBe('200 400 401 403 404 409 413 422 429 431 500 503 504');
    expect(answersOf('getAppInfo')).toBe('200 400 401 403 404 422 429 431 500 503 504');
    expect(answersOf('createSession')).toBe('200 400 401 409 413 422 429 431 500 503 504');
    expect(answersOf('createToken')).toBe('200 400 401 403 413 422 429 431 500 503 504');
    expect(answersOf('transcribeAudio')).toBe('200 400 401 408 413 415 422 429 431 500 502 503 504');
    expect(answersOf('finalizeAgentIdentity')).toBe('200 400 401 403 404 409 413 422 429 431 500 502 503 504');
    expect(answersOf('getReadiness')).toBe('200 503');
  });

  it('says of each operation with credentials that it refuses them, and accounts that send or have too much', async () => {
    const { paths } = (await edge.send('/openapi.json')).body as Document;
    const withCredentials = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .filter(({ security }) => security.length > 0);
    expect(withCredentials.length).toBeGreaterThan(100);
    const silent = withCredentials.filter(({ responses }) => !('401' in responses && '429' in responses));
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('marks the parameters that go as deprecated, where generators of clients look for it', async () => {
    const { paths } = (await edge.send('/openapi.json')).body as Document;
    const before = paths['/api/audit']?.get?.parameters?.find(({ name }) => name === 'before');
    expect(before).toMatchObject({ deprecated: true, schema: { type: 'string' } });
    expect(JSON.stringify(before?.schema)).not.toContain('deprecated');
  });

  it('contains no keywords of our own', async () => {
    const { text } = await edge.send('/openapi.json');
    // A header may have such a name.
    expect(text).not.toMatch(/(?<!"name":)"x-(?!(product-version|event|forms|line)")/);
  });

  it('names the properties of each record where generators of clients look for them', async () => {
    const { components } = (await edge.send('/openapi.json')).body as Document;
    const bodies = ['RunAgentRequest', 'StartRunRequest', 'RunAnswer', 'ForkRequest'];
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(bodies));
    const withChoice = Object.entries(components.schemas).filter(([, one]) => 'properties' in one && 'anyOf' in one);
    expect(withChoice.map(([name]) => name)).toEqual([]);
  });

  it('requires the application of a run unless there is a default one', async () => {
    await using own = await startEdge({ env: { ADK_DEFAULT_APP_NAME: 'shop' } });
    const requiredOf = async (of: Edge) =>
      ((await of.send('/openapi.json')).body as Document).components.schemas.RunAgentRequest?.required;
    expect(await requiredOf(edge)).toEqual(['userId', 'sessionId', 'appName']);
    expect(await requiredOf(own)).toEqual(['userId', 'sessionId']);
  });
});

describe('GATEWAY_DOCS_ENABLED=false', () => {
  it('removes the pages and keeps the description', async () => {
    await using quiet = await startEdge({ env: { GATEWAY_DOCS_ENABLED: 'false' } });
    const open = { headers: { authorization: null } };
    expect((await quiet.send('/docs', open)).status).toBe(404);
    expect((await quiet.send('/openapi.json', open)).body).toMatchObject({ openapi: '3.1.0' });
  });
});
