import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { pageHeaders } from '../edge/paging/page-query.ts';
import { addNextPage, numberBefore, pageOf } from '../edge/paging/page.ts';
import { UserPath } from '../edge/records/path.ts';
import { memoriesJson } from './memory-json.ts';
import {
  MemoriesDeleted,
  MemoryList,
  MemoryPath,
  MemoryQuery,
  MemorySession,
  UpdateMemoryRequest,
} from './memory-record.ts';

const writes = routeFamily({ tag: 'memory', caller: 'runtime', scope: 'memory:write' });
const reads = routeFamily({ tag: 'memory', caller: 'runtime', scope: 'memory:read' });

const path = '/apps/:app_name/users/:user_id/memory';
const nothing = Buffer.from('null');
/** Long sessions take time to add. */
const adding = { timeoutMs: 300_000 } as const;

/** Add sessions to a user's memory; search, list and delete memories. */
export function addMemory(app: App, context: Context): void {
  addUpdate(app, context);
  addSearchAndList(app, context);
  addDeletions(app, context);
}

interface UserRequest {
  readonly identity: Identity;
  readonly params: { readonly app_name: string; readonly user_id: string };
}

function memoryKeyOf({ identity, params }: UserRequest) {
  return { accountId: identity.accountId, appName: params.app_name, userId: params.user_id };
}

function addUpdate(app: App, { memory, authentication }: Context): void {
  app.patch(
    path,
    writes(authentication, {
      operationId: 'updateMemory',
      summary: 'Add a session to memory',
      description: 'Stores all events of the session that have content. Adding it again adds only what is new.',
      params: UserPath,
      body: UpdateMemoryRequest,
      response: { 200: Type.Null() },
      refusals: [404],
    }),
    async (request, reply) => {
      const session = { ...memoryKeyOf(request), sessionId: request.body.sessionId };
      await memory.addSession({ session }, adding);
      return sendJson(reply, nothing);
    },
  );
}

function addSearchAndList(app: App, { memory, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'readMemory',
      summary: 'Search or list memory',
      description: 'With `query` it searches, best match first. Without it, it lists page by page.',
      params: UserPath,
      querystring: MemoryQuery,
      response: { 200: { ...MemoryList, headers: pageHeaders } },
      refusals: [400],
    }),
    async (request, reply) => {
      const { query, limit, sessionId = '' } = request.query;
      const key = memoryKeyOf(request);
      if (query !== undefined) {
        const found = await memory.searchMemory({ memory: key, query, limit: limit ?? 0 }, unary);
        return sendJson(reply, memoriesJson(found.entries));
      }
      const list = ['memory', ...Object.values(key), sessionId];
      const page = pageOf(list, request.query);
      const asked = { memory: key, sessionId, afterPlace: numberBefore(page), limit: page.limit };
      const found = await memory.listEntries(asked, unary);
      if (found.nextAfterPlace > 0) addNextPage(reply, { list, page, last: [found.nextAfterPlace] });
      return sendJson(reply, memoriesJson(found.entries));
    },
  );
}

function addDeletions(app: App, { memory, authentication }: Context): void {
  app.delete(
    `${path}/:memory_id`,
    writes(authentication, {
      operationId: 'deleteMemory',
      summary: 'Delete one memory',
      description: '200 also when there is no such memory.',
      params: MemoryPath,
      response: { 200: Type.Null() },
    }),
    async (request, reply) => {
      await memory.deleteEntry({ memory: memoryKeyOf(request), entryId: request.params.memory_id }, unary);
      return sendJson(reply, nothing);
    },
  );

  app.delete(
    path,
    writes(authentication, {
      operationId: 'deleteMemories',
      summary: 'Delete memories',
      description: 'All of the user, or those of one session with `sessionId`.',
      params: UserPath,
      querystring: MemorySession,
      response: { 200: MemoriesDeleted },
    }),
    async (request) => {
      const { sessionId = '' } = request.query;
      const { deleted } = await memory.deleteEntries({ memory: memoryKeyOf(request), sessionId }, adding);
      return { deleted };
    },
  );
}
