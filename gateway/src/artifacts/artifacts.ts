import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { InvalidRequest } from '../edge/errors/request-error.ts';
import { greedyName } from '../edge/http/greedy-route.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { jsonArray, sendJson } from '../edge/json/json-bytes.ts';
import { Part } from '../edge/records/content.ts';
import { requestCheck } from '../edge/validation/index.ts';
import { artifactOf, artifactsPath, greedy, greedyPath, placeOf } from './artifact-paths.ts';
import {
  ArtifactPath,
  ArtifactsPath,
  ArtifactVersion,
  LoadQuery,
  LoadVersionQuery,
  VersionPath,
} from './artifact-record.ts';
import { artifactTarget, storedVersion, versionNumber } from './artifact-target.ts';
import { openArtifact } from './downloads/open-artifact.ts';
import { partJson } from './downloads/part-json.ts';
import { sendMedia, streamOf, type Wanted } from './downloads/send-media.ts';
import { versionJson } from './version-json.ts';

const ofReads = { tag: 'artifacts', caller: 'runtime', scope: 'artifacts:read', refusals: [400] } as const;
const lists = routeFamily(ofReads);
const reads = routeFamily({ ...ofReads, ...greedy });
const deletes = routeFamily({ ...ofReads, ...greedy, scope: 'artifacts:write' });

type Answer = Promise<FastifyReply>;
const listing = { timeoutMs: 120_000 } as const;

/**
 * List, load and delete artifacts. One greedy route serves all reads. Routes for names of one segment stand beside it for the
 * documentation.
 */
export function artifactRoutes(app: App, context: Context): void {
  addList(app, context);
  addReads(app, context);
  addDeletion(app, context);
}

function addList(app: App, { artifacts, authentication }: Context): void {
  app.get(
    artifactsPath,
    lists(authentication, {
      operationId: 'listArtifacts',
      summary: 'List the names of artifacts',
      description: 'Those of the session and the `user:` ones of its user, sorted.',
      params: ArtifactsPath,
      response: { 200: Type.Array(Type.String()) },
    }),
    async (request, reply) => {
      const found: Uint8Array[] = [];
      for await (const { names } of artifacts.listArtifacts(placeOf(request), listing)) {
        for (const name of names) found.push(Buffer.from(JSON.stringify(name)));
      }
      return sendJson(reply, jsonArray(found));
    },
  );
}

function addReads(app: App, context: Context): void {
  const { authentication } = context;
  const read = (request: FastifyRequest, reply: FastifyReply) => readTarget(context, request, reply);
  for (const [suffix, schema] of documentedReads) {
    const options = reads(authentication, schema);
    app.get(`${artifactsPath}/:artifact_name${suffix}`, options, async (request, reply) => read(request, reply));
  }
  app.get(greedyPath, reads(authentication, { hide: true }), read);
}

/** Reads as they are documented, for names of one segment. */
const documentedReads = [
  [
    '',
    {
      operationId: 'loadArtifact',
      summary: 'Load an artifact',
      description:
        'Its latest version as a Part, or with `alt=media` its bytes, which a page may show but not run. The name may hold slashes.',
      params: ArtifactPath,
      querystring: LoadVersionQuery,
      response: { 200: Part },
      refusals: [403, 404],
    },
  ],
  [
    '/versions',
    {
      operationId: 'listArtifactVersions',
      summary: 'List the versions of an artifact',
      description: 'Numbers only, ascending from 0. Empty for an unknown artifact.',
      params: ArtifactPath,
      response: { 200: Type.Array(Type.Integer()) },
    },
  ],
  [
    '/versions/metadata',
    {
      operationId: 'listArtifactVersionRecords',
      summary: 'List the records of all versions',
      description: 'Number, address, type, time and metadata of each version. Empty for an unknown artifact.',
      params: ArtifactPath,
      response: { 200: Type.Array(ArtifactVersion) },
    },
  ],
  [
    '/versions/:version_id',
    {
      operationId: 'loadArtifactVersion',
      summary: 'Load a version of an artifact',
      description: 'As a Part, or with `alt=media` its bytes.',
      params: VersionPath,
      querystring: LoadQuery,
      response: { 200: Part },
      refusals: [403, 404],
    },
  ],
  [
    '/versions/:version_id/metadata',
    {
      operationId: 'getArtifactVersionRecord',
      summary: 'Get the record of a version',
      description: 'Number, address, type, time and metadata.',
      params: VersionPath,
      response: { 200: ArtifactVersion },
      refusals: [404],
    },
  ],
] as const;

async function readTarget(context: Context, request: FastifyRequest, reply: FastifyReply): Answer {
  const { artifacts } = context;
  const target = artifactTarget(greedyName(request));
  const key = { ...placeOf(request), name: target.name };
  switch (target.kind) {
    case 'versions':
      return sendJson(
        reply,
        Buffer.from(JSON.stringify((await recordsOf(context, key)).map(({ version }) => version))),
      );
    case 'records':
      return sendJson(reply, jsonArray((await recordsOf(context, key)).map(versionJson)));
    case 'record': {
      const { version } = await artifacts.getVersion({ key, ...numbered(versionNumber(target.version)) }, unary);
      return sendJson(reply, versionJson(version));
    }
    case 'version': {
      const { alt } = checked(checkLoad, request.query) as { alt?: string };
      return load(context, { wanted: { key, ...numbered(versionNumber(target.version)) }, alt }, request, reply);
    }
    case 'artifact': {
      const { alt, version } = checked(checkLoadVersion, request.query) as { alt?: string; version?: number };
      const stored = version === undefined ? undefined : storedVersion(version);
      return load(context, { wanted: { key, ...numbered(stored) }, alt }, request, reply);
    }
  }
}

const checkLoad = requestCheck(LoadQuery, 'query');
const checkLoadVersion = requestCheck(LoadVersionQuery, 'query');

function checked(check: ReturnType<typeof requestCheck>, query: unknown): unknown {
  const outcome = check(query);
  if ('issues' in outcome) throw new InvalidRequest(outcome.issues);
  return outcome.value;
}

function numbered(version: number | undefined): { version?: number } {
  return version === undefined ? {} : { version };
}

async function recordsOf({ artifacts }: Context, key: Wanted['key']) {
  const found = [];
  for await (const { versions } of artifacts.listVersions({ key }, listing)) found.push(...versions);
  return found;
}

interface Load {
  readonly wanted: Wanted;
  readonly alt: string | undefined;
}

async function load(
  { artifacts }: Context,
  { wanted, alt }: Load,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer {
  if (alt === 'media') return sendMedia({ artifacts, wanted }, request, reply);
  const open = await openArtifact(artifacts, wanted);
  const { length, chunks } = partJson(open);
  if (length !== undefined) reply.header('content-length', length);
  return reply.type('application/json').send(streamOf({ ...open, chunks }));
}

function addDeletion(app: App, { artifacts, authentication }: Context): void {
  const erase = async (request: FastifyRequest, reply: FastifyReply): Answer => {
    refuseVersion(request.query);
    await artifacts.deleteArtifact({ key: artifactOf(request) }, unary);
    return sendJson(reply, Buffer.from('null'));
  };
  const options = deletes(authentication, {
    operationId: 'deleteArtifact',
    summary: 'Delete an artifact with all its versions',
    description: '200 also when there is no such artifact. The next save begins again at version 0.',
    params: ArtifactPath,
    response: { 200: Type.Null() },
  });
  app.delete(`${artifactsPath}/:artifact_name`, options, async (request, reply) => erase(request, reply));
  app.delete(greedyPath, deletes(authentication, { hide: true }), erase);
}

/** A request that names one version, as a load does, must not delete all. */
function refuseVersion(query: unknown): void {
  const { version } = query as { readonly version?: unknown };
  if (version === undefined) return;
  const msg = 'A deletion takes all versions: name none';
  throw new InvalidRequest([{ type: 'extra_forbidden', loc: ['query', 'version'], msg, input: version }]);
}
