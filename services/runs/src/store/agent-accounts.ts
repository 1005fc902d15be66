import { createQuery } from '@agentmesh/lib/pg';

interface Account {
  readonly accountId: string;
}

/** Raises the revision of an account's agents. Locks it until the transaction ends, so writes of an account happen one by one. */
export const raiseRevision = createQuery<Account, { revision: bigint }>({
  name: 'raise-agents-revision',
  text: (param) => `insert into agent_accounts (account_id, revision) values (${param.accountId}, 1)
    on conflict (account_id) do update set revision = agent_accounts.revision + 1
    returning revision`,
});

/** The revision of an account's agents; no row when it has never made one. */
export const selectRevision = createQuery<Account, { revision: bigint }>({
  name: 'select-agents-revision',
  text: (param) => `select revision from agent_accounts where account_id = ${param.accountId}`,
});
