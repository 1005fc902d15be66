import { MeshError } from '@agentmesh/lib/rpc';
import type { SaveArtifactRequestSchema } from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App, Context } from '../context.ts';
import type { HeldBytes } from '../edge/bodies/body-budget.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { withFlowingBodies } from '../edge/bodies/flowing-bodies.ts';
import { streamInto } from '../edge/streams/stream-into.ts';
import { UploadReader } from '../edge/streams/upload-reader.ts';
import { artifactOf, artifactsPath, greedy, greedyPath, placeOf } from './artifact-paths.ts';
import { ArtifactPath, ArtifactsPath, ArtifactVersion, SaveArtifactRequest } from './artifact-record.ts';
import { filenameRefused, typeRefused } from './uploads/check-save.ts';
import { jsonSaveRequests, rawSaveRequests } from './uploads/save-requests.ts';
import { versionJson } from './version-json.ts';

type SaveRequest = MessageInitShape<typeof SaveArtifactRequestSchema>;

const ofSaves = { tag: 'artifacts', caller: 'runtime', scope: 'artifacts:write', flows: true } as const;
const saves = routeFamily(ofSaves);
const uploads = routeFamily({ ...ofSaves, ...greedy });
const response = { 200: ArtifactVersion };

/** Save artifacts. */
export async function artifactUploadRoutes(app: App, context: Context): Promise<void> {
  await withFlowingBodies(app, (scope) => {
    addSave(scope, context);
    addRawSave(scope, context);
  });
}

function addSave(app: App, context: Context): void {
  app.post(
    artifactsPath,
    saves(context.authentication, {
      operationId: 'saveArtifact',
      summary: 'Save an artifact',
      description:
        'Stores a Part as the next version of `filename`. A `user:` name is shared by all sessions of the user.',
      params: ArtifactsPath,
      headers: IdempotencyKey,
      body: SaveArtifactRequest,
      response,
    }),
    async (request, reply) => {
      const maxRestBytes = context.config.GATEWAY_MAX_BODY_BYTES;
      const contentType = request.headers['content-type'];
      const requestsOf = (source: UploadReader, held: HeldBytes) =>
        jsonSaveRequests(placeOf(request), { source, contentType, maxRestBytes, held });
      return save(context, requestsOf, request, reply);
    },
  );
}

function addRawSave(app: App, context: Context): void {
  const body = { content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } } };
  const upload = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const mimeType = request.headers['content-type'] ?? 'application/octet-stream';
    return save(context, (source) => rawSaveRequests(artifactOf(request), source, mimeType), request, reply);
  };
  const options = uploads(context.authentication, {
    operationId: 'uploadArtifact',
    summary: 'Save the body as an artifact',
    description: 'Stores the bytes of the body, of any type and size up to `ARTIFACT_MAX_BYTES`, as the next version.',
    params: ArtifactPath,
    headers: IdempotencyKey,
    body,
    response,
  });
  app.put(`${artifactsPath}/:artifact_name`, options, async (request, reply) => upload(request, reply));
  app.put(greedyPath, uploads(context.authentication, { hide: true }), upload);
}

/** An upload takes as long as its client. */
const noDeadlineMs = 0;

/** Sends the body to the service as it arrives. A fault in the body ends the call and becomes the answer. */
async function save(
  { artifacts, bodies }: Context,
  requestsOf: (body: UploadReader, held: HeldBytes) => AsyncIterable<SaveRequest>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = new UploadReader(request.raw);
  const held = bodies.large.hold(body.giveUp);
  try {
    const call = keyedCall(request, reply, noDeadlineMs);
    const saved = await streamInto(requestsOf(body, held), call.left, (requests) =>
      artifacts.saveArtifact(requests, call),
    );
    markReplayed(reply, saved);
    return await sendJson(reply, versionJson(saved.version));
  } catch (error) {
    throw request.method === 'POST' ? inBody(error) : error;
  } finally {
    held.release();
    await body.return();
  }
}

/** The error of a save whose name and type are fields of its body. */
function inBody(error: unknown): unknown {
  if (!(error instanceof MeshError)) return error;
  if (error.reason === 'artifact_name_invalid') return filenameRefused(error.message);
  return error.reason === 'artifact_type_invalid' ? typeRefused(error.message) : error;
}
