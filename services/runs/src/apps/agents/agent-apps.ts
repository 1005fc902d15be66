import type { Database } from '@agentmesh/lib/pg';
import { LRUCache } from 'lru-cache';
import { agentAppNotFound } from '../../errors.ts';
import type { AgentParts } from '../building/agents/agent-parts.ts';
import { appVersion, type ServedApp } from '../building/app-version.ts';
import { assembleApp } from '../building/assemble-app.ts';
import { AppFilesError, printMistake } from '../definition/mistake.ts';
import { selectRevision } from '../../store/agent-accounts.ts';
import { agentAppName } from './agent-id.ts';
import type { AgentChecks } from './checks/check-definition.ts';
import { loadTree } from './load-tree.ts';

/** Apps of agents that are records. They are kept as long as the revision of their account's agents stays the same. */
export interface AgentApps {
  /** The app of an agent. Rejects with MeshError not_found `app_not_found` when the account has no such agent. */
  find(accountId: string, agentId: number): Promise<ServedApp>;
  /** Looks at the account's revision before the next use of its apps. */
  forget(accountId: string): void;
}

export interface AgentAppsOptions extends AgentParts {
  readonly db: Database;
}

/** Milliseconds for which a revision counts as the newest when no hint of a change arrives. A change must take effect within a second. */
const revisionCountsMs = 500;
const mostAccounts = 10_000;
const mostApps = 1_000;

interface Built {
  readonly revision: bigint;
  readonly app: Promise<ServedApp | undefined>;
}

export function createAgentApps({ db, ...parts }: AgentAppsOptions): AgentApps {
  const revisions = new LRUCache<string, Promise<bigint>>({ max: mostAccounts, ttl: revisionCountsMs });
  const apps = new LRUCache<string, Built>({ max: mostApps });

  const revisionOf = (accountId: string): Promise<bigint> => {
    const known = revisions.get(accountId);
    if (known !== undefined) return known;
    const asked = selectRevision(db, { accountId }).then(([row]) => row?.revision ?? 0n);
    revisions.set(accountId, asked);
    asked.catch(() => revisions.delete(accountId));
    return asked;
  };
  const build = async (accountId: string, agentId: number): Promise<ServedApp | undefined> => {
    const checks: AgentChecks = {
      checkModel: (model) => parts.models.problemWith(model),
      checkTool: (entry) => parts.tools.check(entry),
    };
    const tree = await loadTree(db, { accountId, agentId, checks });
    if (tree === undefined) return undefined;
    const app = assembleApp({ name: agentAppName(agentId), source: '', file: tree.root }, parts);
    return { ...app, version: appVersion({ version: String(tree.version) }) };
  };
  return {
    async find(accountId, agentId) {
      const name = agentAppName(agentId);
      const revision = await revisionOf(accountId);
      const key = `${accountId}/${agentId}`;
      const known = apps.get(key);
      const built = known?.revision === revision ? known : { revision, app: build(accountId, agentId) };
      if (built !== known) {
        apps.set(key, built);
        built.app.catch(() => apps.delete(key));
      }
      const app = await built.app.catch((error: unknown) => {
        throw describe(name, error);
      });
      if (app === undefined) throw agentAppNotFound(name);
      return app;
    },
    forget: (accountId) => void revisions.delete(accountId),
  };
}

function describe(name: string, error: unknown): unknown {
  if (!(error instanceof AppFilesError)) return error;
  return agentAppNotFound(name, error.mistakes.map(printMistake).join('\n'));
}
