import { Readable } from 'node:stream';
import { type ArtifactKey, type ArtifactsService, PayloadKind } from '@agentmesh/proto/artifacts/v1';
import type { Client } from '@connectrpc/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../edge/errors/request-error.ts';
import { byteRange } from './byte-range.ts';
import { etagOf, mediaHeaders, namesEtag } from './media-headers.ts';
import { openArtifact, type OpenArtifact } from './open-artifact.ts';

/** Artifact and version; the latest version if none is given. */
export interface Wanted {
  readonly key: Pick<ArtifactKey, 'accountId' | 'appName' | 'userId' | 'sessionId' | 'name'>;
  readonly version?: number;
}

/** Attempts of a read in two calls, for size and for bytes: the latest version may change between them. */
const attempts = 3;

/**
 * Uses for which a browser may load a payload (`Sec-Fetch-Dest`). Scripts, styles, workers, frames and objects are left out: they would run
 * as a part of this origin.
 */
const uses = new Set(['empty', 'document', 'image', 'audio', 'video', 'track']);

/** Answers with the payload, the part that `Range` asks for, or 304. 403 when a page would run the payload. */
export async function sendMedia(
  { artifacts, wanted }: { artifacts: Client<typeof ArtifactsService>; wanted: Wanted },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!uses.has(request.headers['sec-fetch-dest'] ?? 'empty')) {
    throw new HttpError(403, 'Forbidden: an artifact is not loaded as a part of a page');
  }
  const { range, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers;
  if (range === undefined && ifNoneMatch === undefined) return sendWhole(await openArtifact(artifacts, wanted), reply);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const asked = withPayload(await openArtifact(artifacts, { ...wanted, length: 0n }));
    // Only its head is read, which ends no call.
    asked.leave();
    const { head, version } = asked;
    const size = Number(version.size);
    const etag = etagOf(version.sha256);
    if (namesEtag(ifNoneMatch, etag))
      return reply.code(304).headers({ etag, 'cache-control': 'private, no-cache' }).send();
    const part = ifRange === undefined || ifRange === etag ? byteRange(range, size) : 'all';
    if (part === 'all') break;
    if (part === 'none') throw new HttpError(416, 'There are no such bytes.', { 'content-range': `bytes */${size}` });
    const length = part.end - part.start + 1;
    const open = await openArtifact(artifacts, { ...wanted, offset: BigInt(part.start), length: BigInt(length) });
    if (open.version.sha256 === version.sha256) {
      reply.code(206).headers({ ...mediaHeaders({ ...open, head }), 'content-length': length });
      return reply.header('content-range', `bytes ${part.start}-${part.end}/${size}`).send(streamOf(open));
    }
    open.leave();
  }
  return sendWhole(await openArtifact(artifacts, wanted), reply);
}

function sendWhole(open: OpenArtifact, reply: FastifyReply): FastifyReply {
  const { version } = withPayload(open);
  return reply.headers({ ...mediaHeaders(open), 'content-length': Number(version.size) }).send(streamOf(open));
}

/** A link to a file elsewhere has no payload: 404. */
function withPayload(open: OpenArtifact): OpenArtifact {
  if (open.head.payload !== PayloadKind.NONE) return open;
  open.leave();
  throw new HttpError(404, 'Artifact not found');
}

/** Stream of chunks that is read at the pace of the client. Its end leaves the file, also before the first read. */
export function streamOf({ chunks, leave }: Pick<OpenArtifact, 'chunks' | 'leave'>): Readable {
  return Readable.from(chunks, { objectMode: false, highWaterMark: 1 }).once('close', leave);
}
