import { setImmediate as immediate } from 'node:timers/promises';
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk/core';
import { Answer, type Piece } from './answer.ts';
import type { Connection } from './connection.ts';
import type { ChunkEnd } from './dialect.ts';
import type { Speech } from './speech.ts';
import type { Watchdog } from './watchdog.ts';

/** Parts of a streamed answer after which other work of the process gets its turn: they may all have arrived at once. */
const partsAtOnce = 256;

/** Parts of the model's output of which no partial response tells. Vendors send some calls of tools, such as those they make themselves, without a start. */
const silentOutput = new Set<LanguageModelV4StreamPart['type']>(['tool-input-start', 'tool-call', 'file']);

const nothing = { role: 'model', parts: [{ text: '' }] };

/** One call of a model. */
export interface ModelCall {
  readonly connection: Connection;
  readonly call: LanguageModelV4CallOptions;
  readonly watchdog: Watchdog;
  /** Whether the caller wants partial responses. */
  readonly stream: boolean;
  readonly speech: Speech;
}

/** Calls the model once. Throws on every failure. */
export async function* streamOnce(call: ModelCall): AsyncGenerator<LlmResponse, void> {
  const answer = new Answer({ stream: call.stream, dialect: call.connection.dialect });
  if (call.stream) yield* readStream(call, answer);
  else await readWhole(call, answer);
  yield answer.finish();
}

async function readWhole({ connection, call, watchdog }: ModelCall, answer: Answer): Promise<void> {
  const { languageModel, dialect } = connection;
  const result = await languageModel.doGenerate({ ...call, abortSignal: watchdog.signal });
  answer.modelVersion = dialect.readModelVersion?.(result.response?.body) ?? result.response?.modelId;
  answer.addSources(result.response?.body);
  for (const [index, part] of result.content.entries()) answer.addContent(part, String(index));
  answer.end(result);
}

async function* readStream(
  { connection, call, watchdog, speech }: ModelCall,
  answer: Answer,
): AsyncGenerator<LlmResponse, void> {
  const { languageModel, dialect } = connection;
  const includeRawChunks = dialect.readModelVersion !== undefined;
  const { stream } = await languageModel.doStream({ ...call, includeRawChunks, abortSignal: watchdog.signal });
  let parts = 0;
  let end: ChunkEnd | undefined;
  let untold: ChunkEnd | undefined;
  let hasSpoken = false;
  for await (const part of stream) {
    parts += 1;
    if (parts % partsAtOnce === 0) await immediate();
    // This part comes with the first byte, before any output of the model.
    if (part.type !== 'stream-start') watchdog.feed();
    if (silentOutput.has(part.type)) speech.begin();
    if (part.type === 'raw') untold = end ??= answer.readChunk(part.rawValue);
    const partial = take(part, answer);
    if (partial === undefined) continue;
    yield end === undefined ? partial : { ...partial, ...end };
    [hasSpoken, untold] = [true, undefined];
  }
  // The last chunk had no text.
  if (hasSpoken && untold !== undefined) yield { content: nothing, partial: true, ...untold };
}

function take(part: LanguageModelV4StreamPart, answer: Answer): LlmResponse | undefined {
  const said = toPiece(part);
  if (said !== undefined) return answer.addText(said);
  if (part.type === 'file') answer.addFile(part);
  else if (part.type === 'tool-call') answer.addCall(part);
  else if (part.type === 'response-metadata') answer.modelVersion = part.modelId ?? answer.modelVersion;
  else if (part.type === 'finish') answer.end(part);
  else if (part.type === 'error') throw part.error;
  return undefined;
}

function toPiece(part: LanguageModelV4StreamPart): Piece | undefined {
  if (part.type === 'text-delta') return piece(part, part.delta, false);
  if (part.type === 'reasoning-delta') return piece(part, part.delta, true);
  // Vendors send the signature of a thought at its start, during it, or at its end.
  return part.type === 'reasoning-start' || part.type === 'reasoning-end' ? piece(part, '', true) : undefined;
}

function piece(
  { id, providerMetadata }: { id: string; providerMetadata?: SharedV4ProviderMetadata },
  text: string,
  thought: boolean,
): Piece {
  return { id, text, thought, metadata: providerMetadata };
}
