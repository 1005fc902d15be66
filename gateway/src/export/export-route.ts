import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { problemOf } from '../edge/errors/problem.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import type { ExportedRecord, ExportPart } from '../export-part.ts';
import { lineOf } from './line-of.ts';

/** Personal tokens do not open it: an export holds all that an account has. */
const signedIn = routeFamily({ tag: 'accounts', caller: 'account' });

const ExportLine = Type.Object(
  {
    kind: Type.String({ description: 'Such as `session`, `event` or `artifact_bytes`.' }),
    of: Type.Optional(
      Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: 'What the record belongs to.' }),
    ),
    data: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The record, as its own route answers it.',
    }),
  },
  { title: 'ExportLine' },
);

const exported = {
  description:
    'One ExportLine of JSON on each line. The first has the kind `export` and names the kinds that follow in their order; the last has the kind `end` and counts them: an export without it is not whole.',
  content: { 'application/x-ndjson': { schema: Type.String({ 'x-line': ExportLine }) } },
};

/** Form of the lines. */
const version = 1;

/** All that an account has, as a stream. */
export function addExport(app: App, context: Context, parts: readonly ExportPart[]): void {
  const { auth, authentication, limitExports } = context;
  app.get(
    '/api/users/me/export',
    signedIn(authentication, {
      operationId: 'exportAccount',
      summary: 'Export the account',
      description:
        'Everything that the account has, as lines of JSON: sessions, events, runs, artifacts, memories, agents, schedules, webhooks, mail, keys without secrets, use and audit. It is no snapshot: what changes while it is read may be in it or not.',
      response: { 200: exported },
    }),
    async (request, reply) => {
      const { identity } = request;
      await limitExports(request, reply);
      await auth.recordExport({ accountId: identity.accountId }, unary);
      return sendLines(reply, await begun(linesOf(context, identity, parts)), (err) => {
        if (problemOf(err) === undefined) context.log.error({ err, requestId: request.id }, 'an export broke');
      });
    },
  );
}

function sendLines(reply: FastifyReply, lines: Lines, onError: (error: unknown) => void): FastifyReply {
  const stream = Readable.from(lines, { objectMode: false, highWaterMark: 1 });
  stream.on('error', onError);
  return reply
    .headers({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="agentmesh-${new Date().toISOString().slice(0, 10)}.ndjson"`,
      'cache-control': 'private, no-store',
    })
    .send(stream);
}

type Lines = AsyncGenerator<Uint8Array, void>;

/**
 * The same lines, once the first are read: until then a failure has a status. It has begun when it is handed over, because a generator that has not ends
 * without its `finally` when its reader has left.
 */
async function begun(lines: Lines): Promise<Lines> {
  const begin = Buffer.alloc(0);
  const all = (async function* () {
    try {
      const first = await lines.next();
      yield begin;
      if (first.done !== true) yield first.value;
      yield* lines;
    } finally {
      await lines.return();
    }
  })();
  await all.next();
  return all;
}

/** Lines are joined to pieces, so that small records do not cost a write each. */
async function* linesOf(context: Context, owner: Identity, parts: readonly ExportPart[]): Lines {
  let piece: Uint8Array[] = [];
  let bytes = 0;
  for await (const record of recordsOf(context, owner, parts)) {
    const line = lineOf(record);
    piece.push(line);
    bytes += line.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(piece);
    [piece, bytes] = [[], 0];
  }
  yield Buffer.concat(piece);
}

const pieceBytes = 64 * 1024;

async function* recordsOf(
  context: Context,
  owner: Identity,
  parts: readonly ExportPart[],
): AsyncGenerator<ExportedRecord> {
  const kinds = parts.flatMap((part) => part.kinds);
  yield { kind: 'export', data: { version, kinds, account_id: owner.accountId, created_at: new Date().toISOString() } };
  const counts = new Map<string, number>(kinds.map((kind) => [kind, 0]));
  for (const part of parts)
    for await (const record of part.read(context, owner)) {
      counts.set(record.kind, (counts.get(record.kind) ?? 0) + 1);
      yield record;
    }
  yield { kind: 'end', data: Object.fromEntries(counts) };
}
