import type { BaseMemoryService, MemoryEntry, SearchMemoryRequest, SearchMemoryResponse } from '@google/adk/core';
import type { Entry, MemoryService } from '@agentmesh/proto/memory/v1';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';

const timeoutMs = 10_000;

interface TurnMemoryOptions {
  readonly memory: Client<typeof MemoryService>;
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

/** A memory entry with the fields of ADK for Python, some of which ADK for JavaScript lacks. */
interface Remembered extends MemoryEntry {
  readonly id: string;
  readonly customMetadata: object;
}

/**
 * The memory of the turn's user in the turn's app. User and app in a request are ignored.
 */
export function createTurnMemory(options: TurnMemoryOptions): BaseMemoryService {
  return new TurnMemory(options);
}

/** A class: most runs search no memory, and each would make the functions anew. */
class TurnMemory implements BaseMemoryService {
  readonly #own: TurnMemoryOptions;

  constructor(options: TurnMemoryOptions) {
    this.#own = options;
  }

  async addSessionToMemory(): Promise<void> {
    const { memory, turn, signal } = this.#own;
    await memory.addSession({ ...(turn.session && { session: turn.session }) }, { signal });
  }

  async searchMemory({ query }: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    const { memory, turn, signal } = this.#own;
    const { accountId = '', appName = '', userId = '' } = turn.session ?? {};
    const key = { accountId, appName, userId };
    const { entries } = await memory.searchMemory({ memory: key, query }, { signal, timeoutMs });
    return { memories: entries.map(toMemory) };
  }
}

function toMemory(entry: Entry): Remembered {
  const { id, author, timestamp, contentJson, customMetadataJson } = entry;
  const date = new Date(timestamp * 1000);
  return {
    id,
    content: parse(contentJson),
    author,
    ...(Number.isNaN(date.getTime()) ? {} : { timestamp: date.toISOString() }),
    customMetadata: customMetadataJson.length === 0 ? {} : parse(customMetadataJson),
  };
}

function parse(json: Uint8Array): object {
  return JSON.parse(Buffer.from(json).toString('utf8')) as object;
}
