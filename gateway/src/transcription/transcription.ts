import { CallUntil, MeshError } from '@agentmesh/lib/rpc';
import type { TranscribeRequestSchema, TranscribeResponse, Transcript } from '@agentmesh/proto/transcription/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Context } from '../context.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { withFlowingBodies } from '../edge/bodies/flowing-bodies.ts';
import { readingFor } from '../edge/streams/reading-for.ts';
import { streamInto } from '../edge/streams/stream-into.ts';
import { UploadReader } from '../edge/streams/upload-reader.ts';
import { openSpeechForm } from './speech-form.ts';
import { SpeechUpload, Transcript as TranscriptRecord } from './transcript-record.ts';

const uploads = routeFamily({
  tag: 'audio',
  caller: 'account',
  flows: true,
  scope: 'audio:write',
  holdsNoUserData: true,
});

/** Longest time for an upload: a client that drips would hold a request to the transcription server for as long. */
const uploadMs = 300_000;

type Request = MessageInitShape<typeof TranscribeRequestSchema>;

/** Adds the route that turns a recording into text. */
export async function addTranscription(app: App, context: Context): Promise<void> {
  await withFlowingBodies(app, (scope) => addTranscribe(scope, context));
}

function addTranscribe(app: App, { transcription, authentication }: Context): void {
  app.post(
    '/api/audio/transcribe',
    uploads(authentication, {
      operationId: 'transcribeAudio',
      summary: 'Turn recorded speech into text',
      description:
        'The upload is passed on while it arrives. Its first bytes decide the format; at most 25 MiB, within 5 minutes.',
      body: SpeechUpload,
      response: { 200: TranscriptRecord },
      refusals: [408, 415, 502],
    }),
    async (request, reply) => {
      const answer = await transcribe(transcription, request, reply);
      if (answer.outcome.case === 'transcript') return recordOf(answer.outcome.value);
      throw refusalOf(answer, reply);
    },
  );
}

/**
 * Sends the recording to the service as it arrives. Aborts the call when the client disconnects, also while it waits for the
 * answer.
 */
async function transcribe(
  transcription: Context['transcription'],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<TranscribeResponse> {
  const left = readingFor(reply.raw);
  const body = new UploadReader(request.raw, { totalMs: uploadMs });
  try {
    const file = await openSpeechForm(body, request.headers['content-type']);
    return await streamInto(requestsOf(request.identity.accountId, file), left, (requests) =>
      transcription.transcribe(requests, new CallUntil(left)),
    );
  } finally {
    await body.return();
  }
}

async function* requestsOf(accountId: string, file: AsyncIterable<Buffer>): AsyncGenerator<Request> {
  yield { kind: { case: 'opening', value: { accountId } } };
  for await (const { buffer, byteOffset, byteLength } of file) {
    const value = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
    if (byteLength > 0) yield { kind: { case: 'chunk', value } };
  }
  yield { kind: { case: 'end', value: {} } };
}

function recordOf({ text, language, durationMs, model }: Transcript) {
  return {
    text,
    ...(language !== undefined && { language }),
    ...(durationMs !== undefined && { duration_ms: Number(durationMs) }),
    ...(model !== undefined && { model }),
  };
}

function refusalOf({ outcome }: TranscribeResponse, reply: FastifyReply): MeshError {
  if (outcome.case !== 'busy') return new MeshError('internal', 'transcript_missing', 'No transcript was returned.');
  const { retryAfterSeconds } = outcome.value;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return new MeshError('resource_exhausted', 'transcription_busy', 'The transcription server takes no more for now.');
}
