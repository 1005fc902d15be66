import type { FakeError } from './openai-answer.ts';
import { type ScriptedServer } from './scripted-server.ts';
/** A request that the fake has found right. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding: 'float' | 'base64';
  readonly dimensions: number | undefined;
}
/** Vectors as the fake's `vectorOf` makes them. */
export type FakeVectors = Readonly<Record<string, never>>;
/** A fake of the OpenAI embeddings API. */
export interface FakeEmbeddings extends ScriptedServer<EmbeddingRequest, FakeVectors | FakeError> {
  /** For `OPENAI_BASE_URL`: ends in `/v1`. */
  readonly baseUrl: string;
}
export interface FakeEmbeddingsOptions {
  readonly apiKey: string;
  /** What a text means. */
  readonly vectorOf: (text: string) => readonly number[];
}
/** Starts a fake on a free port of the loopback. */
export declare function startFakeEmbeddings({ apiKey, vectorOf }: FakeEmbeddingsOptions): Promise<FakeEmbeddings>;
