import type { ArtifactVersion, InvocationContextParams } from '@google/adk/core';
import type { Part } from '@google/genai';
import { isMeshError } from '@agentmesh/lib/rpc';
import { type ArtifactsService, type LoadedArtifact, PayloadKind, type Version } from '@agentmesh/proto/artifacts/v1';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { RunWaits } from '../../models/use/run-waits.ts';
import { outlastOutage, type Patience } from '../../outlast-outage.ts';
import { splitPart, type SplitPart } from './split-part.ts';

type TurnArtifactService = NonNullable<InvocationContextParams['artifactService']>;
type SaveRequest = Parameters<TurnArtifactService['saveArtifact']>[0];
type LoadRequest = Parameters<TurnArtifactService['loadArtifact']>[0];

const timeoutMs = 60_000;
const chunkBytes = 256 * 1024;
/** Largest payload in bytes that is loaded. It is more than any model accepts. */
const maxLoadBytes = 16 * 1024 * 1024;

interface TurnArtifactsOptions {
  readonly artifacts: Client<typeof ArtifactsService>;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly waits?: RunWaits | undefined;
  /** Time in milliseconds for which names and contents are waited for while the service cannot be reached: ADK asks for them also outside of tools. */
  readonly outageMs: number;
}

/**
 * The artifacts of the turn's session and user. Session and app in a request are ignored. Missing artifacts and impossible names
 * are undefined; instead of an artifact over 16 MiB, a text says its size.
 */
export function createTurnArtifacts(options: TurnArtifactsOptions): TurnArtifactService {
  return new TurnArtifacts(options);
}

/** A class: most runs have no artifacts, and each would make the functions anew. */
class TurnArtifacts implements TurnArtifactService {
  readonly #own: TurnArtifactsOptions;

  constructor(options: TurnArtifactsOptions) {
    this.#own = options;
  }

  async saveArtifact({ filename, artifact, customMetadata }: SaveRequest): Promise<number> {
    const { artifacts, signal, waits } = this.#own;
    const requests = saveRequests(this.#keyOf(filename), splitPart(artifact), customMetadata);
    using _ = waits?.begin('artifact');
    const { version } = await artifacts.saveArtifact(requests, { signal, timeoutMs });
    return version?.version ?? 0;
  }

  async loadArtifact({ filename, version }: LoadRequest): Promise<Part | undefined> {
    const { artifacts, signal, waits } = this.#own;
    const request = { key: this.#keyOf(filename), ...(version !== undefined && { version }) };
    using _ = waits?.begin('artifact');
    return await unlessMissing(() => outlastOutage(() => load(artifacts, request, signal), this.#patience));
  }

  async listArtifactKeys(): Promise<string[]> {
    const { artifacts, signal, waits } = this.#own;
    const list = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { names } of artifacts.listArtifacts(this.#place, { signal, timeoutMs })) found.push(...names);
      return found;
    };
    using _ = waits?.begin('artifact');
    return await outlastOutage(list, this.#patience);
  }

  async deleteArtifact(filename: string): Promise<void> {
    const { artifacts, signal, waits } = this.#own;
    using _ = waits?.begin('artifact');
    await artifacts.deleteArtifact({ key: this.#keyOf(filename) }, { signal, timeoutMs });
  }

  async listVersions(filename: string): Promise<number[]> {
    return (await recordsOf(this.#own, this.#keyOf(filename))).map(({ version }) => version);
  }

  async listArtifactVersions(filename: string): Promise<ArtifactVersion[]> {
    return (await recordsOf(this.#own, this.#keyOf(filename))).map(toArtifactVersion);
  }

  getArtifactVersion({ filename, version }: LoadRequest): Promise<ArtifactVersion | undefined> {
    return unlessMissing(async () => {
      const { artifacts, signal, waits } = this.#own;
      const request = { key: this.#keyOf(filename), ...(version !== undefined && { version }) };
      using _ = waits?.begin('artifact');
      const { version: found } = await artifacts.getVersion(request, { signal, timeoutMs });
      return found && toArtifactVersion(found);
    });
  }

  get #patience(): Patience {
    return { signal: this.#own.signal, patienceMs: this.#own.outageMs };
  }

  get #place() {
    const { accountId = '', appName = '', userId = '', sessionId = '' } = this.#own.turn.session ?? {};
    return { accountId, appName, userId, sessionId };
  }

  #keyOf(name: string): ArtifactKey {
    return { ...this.#place, name };
  }
}

async function recordsOf({ artifacts, signal, waits }: TurnArtifactsOptions, key: ArtifactKey): Promise<Version[]> {
  const found: Version[] = [];
  using _ = waits?.begin('artifact');
  for await (const page of artifacts.listVersions({ key }, { signal, timeoutMs })) found.push(...page.versions);
  return found;
}

async function load(
  artifacts: TurnArtifactsOptions['artifacts'],
  request: { readonly key: ArtifactKey; readonly version?: number },
  signal: AbortSignal,
): Promise<Part> {
  // Leaving the stream early ends it.
  const leaving = new AbortController();
  const reading = { timeoutMs, signal: AbortSignal.any([signal, leaving.signal]) };
  try {
    return await readPart(request.key.name, artifacts.loadArtifact(request, reading));
  } finally {
    leaving.abort();
  }
}

type ArtifactKey = Readonly<Record<'accountId' | 'appName' | 'userId' | 'sessionId' | 'name', string>>;

async function* saveRequests(
  key: { name: string },
  { payload, bytes, partJson }: SplitPart,
  customMetadata: Record<string, unknown> | undefined,
) {
  yield { kind: { case: 'opening' as const, value: { key } } };
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield { kind: { case: 'chunk' as const, value: new Uint8Array(bytes.subarray(at, at + chunkBytes)) } };
  }
  const customMetadataJson = Buffer.from(customMetadata === undefined ? '' : JSON.stringify(customMetadata));
  yield { kind: { case: 'commit' as const, value: { name: key.name, payload, partJson, customMetadataJson } } };
}

type Messages = ReturnType<Client<typeof ArtifactsService>['loadArtifact']>;

async function readPart(filename: string, messages: Messages): Promise<Part> {
  let head: LoadedArtifact | undefined;
  const chunks: Uint8Array[] = [];
  for await (const { kind } of messages) {
    if (kind.case === 'chunk') chunks.push(kind.value);
    if (kind.case !== 'head') continue;
    head = kind.value;
    const size = Number(head.version?.size ?? 0);
    if (size > maxLoadBytes) return { text: `[Artifact ${filename}: ${size} bytes are too many to be loaded.]` };
  }
  return joinPart(head, Buffer.concat(chunks));
}

function joinPart(head: LoadedArtifact | undefined, bytes: Buffer): Part {
  const part = JSON.parse(Buffer.from(head?.partJson ?? '{}').toString()) as Part;
  if (head?.payload === PayloadKind.TEXT) return { ...part, text: bytes.toString() };
  if (head?.payload !== PayloadKind.DATA) return part;
  const mimeType = part.inlineData?.mimeType ?? head.version?.mimeType ?? 'application/octet-stream';
  return { ...part, inlineData: { ...part.inlineData, mimeType, data: bytes.toString('base64') } };
}

function toArtifactVersion({ version, canonicalUri, customMetadataJson, mimeType }: Version): ArtifactVersion {
  const customMetadata = JSON.parse(Buffer.from(customMetadataJson).toString() || '{}') as Record<string, unknown>;
  return { version, canonicalUri, customMetadata, ...(mimeType !== undefined && { mimeType }) };
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMeshError(error) && (error.code === 'not_found' || error.code === 'invalid_argument')) return undefined;
    throw error;
  }
}
