import type { Bus } from '@agentmesh/lib/bus';
import type { AddressPolicy } from '@agentmesh/lib/outbound';
import type { Database, Transaction } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Client } from '@connectrpc/connect';
import type { AgentApps } from './agent-apps.ts';
import type { AgentRow } from '../../store/agents.ts';
import type { CheckTool } from '../entries/check-tools.ts';
import type { SealHeaders } from './header-values.ts';
import type { CheckModel } from './checks/check-definition.ts';

/** Runs the transaction that writes an agent. */
export type WriteAgent = <T extends { readonly row: AgentRow }>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Dependencies of all that reads and writes agents. */
export interface AgentsContext {
  readonly config: { readonly maxAgents: number };
  readonly db: Database;
  /** Absent: a transaction of `db`. */
  readonly writeAgent?: WriteAgent;
  readonly bus: Bus;
  readonly log: Logger;
  readonly agentApps: AgentApps;
  readonly checkModel: CheckModel;
  /** Mistakes of an entry of `tools` of an agent that is a record. */
  readonly checkTool: CheckTool;
  readonly savedKeys: Pick<Client<typeof SavedKeysService>, 'createKey' | 'deleteKey' | 'getKey'>;
  readonly sealHeaders: SealHeaders;
  /** Addresses that a `model_api_base` without a key may have. */
  readonly apiBases: AddressPolicy;
}
