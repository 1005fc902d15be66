import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { copySources, linkPackages } from '../../new-service/copy-repository.ts';

const run = promisify(execFile);

/** The only place of `from` in a file becomes `to`. A new file has no `from`. */
interface Change {
  readonly path: string;
  readonly from?: string;
  readonly to: string;
}

const authProto = 'proto/agentmesh/auth/v1/auth.proto';
const memory = 'services/memory/src/service.ts';
const deletion = 'services/auth/src/rpc/erasure/delete-account.ts';

/** A topic that is new and has a consumer, in place of another one; a table that is new; and a topic that has lost a reader. */
const changes: readonly Change[] = [
  { path: 'package.json', from: '"version": "0.1.0"', to: '"version": "0.2.0"' },
  {
    path: authProto,
    from: '// Former bus topic. No service sends',
    to: `// Bus topic: agentmesh.auth.v1.account_noted. Sent through the outbox.
message AccountNoted {
  option (agentmesh.mesh.v1.readers) = "memory";
  option (agentmesh.mesh.v1.consumers) = "memory";

  string account_id = 1;
}

// Former bus topic. No service sends`,
  },
  {
    path: deletion,
    from: 'import { AccountDeletedSchema',
    to: 'import { AccountDeletedSchema, AccountNotedSchema',
  },
  {
    path: deletion,
    from: '  await writeOutbox(tx, AccountDeletedSchema, [{ accountId: id }]);\n',
    to: `  await writeOutbox(tx, AccountDeletedSchema, [{ accountId: id }]);
  await writeOutbox(tx, AccountNotedSchema, [{ accountId: id }]);
`,
  },
  {
    path: 'services/auth/src/service.ts',
    from: 'import { AccountDeletedSchema',
    to: 'import { AccountDeletedSchema, AccountNotedSchema',
  },
  {
    path: 'services/auth/src/service.ts',
    from: 'topics: [AccountDeletedSchema]',
    to: 'topics: [AccountDeletedSchema, AccountNotedSchema]',
  },
  {
    path: 'services/memory/migrations/0002-create-noted.sql',
    to: 'create table noted (account_id uuid primary key);\n',
  },
  { path: memory, from: 'import { AccountDeletedSchema', to: 'import { AccountNotedSchema' },
  {
    path: memory,
    from: "    resources.defer(await bus.consume(AccountDeletedSchema, 'memory', onAccountDeleted(context)));\n",
    to: `    const note = 'insert into noted values ($1) on conflict do nothing';
    const erase = onAccountDeleted(context);
    resources.defer(
      await bus.consume(AccountNotedSchema, 'memory', async (message, delivery) => {
        await db.query({ name: 'add-noted', text: note }, [message.accountId]);
        await erase(message as never, delivery);
      }),
    );
`,
  },
  {
    path: authProto,
    from: '  option (agentmesh.mesh.v1.readers) = "memory";\n  option (agentmesh.mesh.v1.readers) = "keys";\n',
    to: '  option (agentmesh.mesh.v1.former_readers) = "memory";\n  option (agentmesh.mesh.v1.readers) = "keys";\n',
  },
  {
    path: authProto,
    from: '  option (agentmesh.mesh.v1.consumers) = "memory";\n  option (agentmesh.mesh.v1.consumers) = "runs";\n',
    to: '  option (agentmesh.mesh.v1.consumers) = "runs";\n',
  },
  {
    path: 'proto/agentmesh/runs/v1/agents.proto',
    from: `message AgentChanged {
  option (agentmesh.mesh.v1.readers) = "runs";
  option (agentmesh.mesh.v1.readers) = "gateway";
`,
    to: `message AgentChanged {
  option (agentmesh.mesh.v1.readers) = "runs";
  option (agentmesh.mesh.v1.former_readers) = "gateway";
`,
  },
  {
    path: 'proto/agentmesh/runs/v1/agents.proto',
    from: 'import "agentmesh/mesh/v1/access.proto";\n',
    to: 'import "agentmesh/mesh/v1/access.proto";\nimport "agentmesh/mesh/v1/topics.proto";\n',
  },
  {
    path: 'gateway/src/runs/changes/change-feeds.ts',
    from: '    bus.subscribe(AgentChangedSchema, ({ accountId }) => feeds.get(accountId)?.hint(true)),\n',
    to: '',
  },
];

/** Changes of a next release of memory alone: its table and the version. */
const ofMemory = changes.filter(({ path }) => path === 'package.json' || path.startsWith('services/memory/migrations'));

/** Makes the next release of all services, or of memory alone, out of the sources of this one, in an empty folder, with what is generated from its contracts. */
export async function makeNextRelease(repository: string, folder: string, of: 'all' | 'memory'): Promise<void> {
  await copySources(repository, folder);
  for (const change of of === 'all' ? changes : ofMemory) await apply(folder, change);
  await linkPackages(repository, folder);
  if (of === 'memory') return;
  const bin = join(folder, 'node_modules', '.bin');
  const options = { cwd: folder, env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) } };
  await run(join(bin, 'buf'), ['generate'], options);
  await run(process.execPath, ['scripts/render-nats.ts'], options);
}

/** Throws when the place of a change is not found exactly once. */
async function apply(folder: string, { path, from, to }: Change): Promise<void> {
  const file = join(folder, path);
  if (from === undefined) return writeFile(file, to, { flag: 'wx' });
  const parts = (await readFile(file, 'utf8')).split(from);
  if (parts.length !== 2) throw new Error(`${path}: ${parts.length - 1} places have\n${from}`);
  return writeFile(file, parts.join(to));
}
