import { RunsService } from '@agentmesh/proto/runs/v1';
import { createClient } from '@connectrpc/connect';
import { retainedBytes } from '../../heap-testing/index.ts';
import { streamResponse } from '../call/index.ts';
import { createMeshClient, type Routes } from './mesh-client.ts';

// Prints the bytes that server streams leave behind which were read to their end: node --expose-gc mesh-client.heap.ts connect

const ended = { done: true, value: undefined } as const;
const empty = { [Symbol.asyncIterator]: () => ({ next: async () => ended }) };
const transport: Routes = {
  local: () => undefined,
  call: () => Promise.reject(new Error('not called')),
  answers: () => empty[Symbol.asyncIterator](),
  unary: () => Promise.reject(new Error('not called')),
  stream: async (method) => streamResponse(method, empty),
};
const variants: Record<string, typeof createMeshClient> = { mesh: createMeshClient, connect: createClient };
const client = variants[process.argv[2] ?? '']?.(RunsService, transport);
if (client === undefined) throw new Error('unknown variant');

/** A hundred streams, each with a signal that holds 8 KB. */
async function round(): Promise<void> {
  for (let made = 0; made < 100; made += 1) {
    const held = Array.from({ length: 1_000 }, () => 0);
    const signal = Object.assign(new AbortController().signal, { held });
    for await (const _ of client?.run({}, { signal }) ?? []);
  }
}

process.stdout.write(`${await retainedBytes(round)}`);
