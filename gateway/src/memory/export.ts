import type { MemoryKey } from '@agentmesh/proto/memory/v1';
import { MeshError } from '@agentmesh/lib/rpc';
import { type Context, unary } from '../context.ts';
import type { ExportedRecord, ExportPart } from '../export-part.ts';
import { memoryJson } from './memory-json.ts';

const pageSize = 100;

/** Memories of past sessions. */
export const memoryExport: ExportPart = {
  kinds: ['memory'],
  async *read({ memory }, { accountId }) {
    let after: MemoryKey | undefined;
    do {
      const { keys } = await memory.listMemories({ accountId, ...(after && { after }), limit: pageSize }, unary);
      for (const { appName, userId } of keys) yield* entriesOf(memory, { accountId, appName, userId });
      after = keys.length < pageSize ? undefined : keys.at(-1);
    } while (after !== undefined);
  },
};

type Key = Pick<MemoryKey, 'accountId' | 'appName' | 'userId'>;

async function* entriesOf(memory: Context['memory'], key: Key): AsyncGenerator<ExportedRecord> {
  const of = { app_name: key.appName, user_id: key.userId };
  let afterPlace = 0;
  do {
    const page = await memory.listEntries({ memory: key, afterPlace, limit: pageSize }, unary).catch(whenOff);
    if (page === undefined) {
      yield { kind: 'left_out', data: { kind: 'memory', reason: 'memory is off', ...of } };
      return;
    }
    for (const entry of page.entries) yield { kind: 'memory', of, data: memoryJson(entry) };
    afterPlace = page.nextAfterPlace;
  } while (afterPlace > 0);
}

function whenOff(error: unknown): undefined {
  if (error instanceof MeshError && error.reason === 'memory_not_configured') return undefined;
  throw error;
}
