/** SQL that deletes the idempotency keys of the runs in the CTE `gone`, unless a run of another session has the same id: a key does not name the session. */
export const deleteKeysOfGone = (accountId: string): string =>
  `delete from run_keys k where k.account_id = ${accountId} and k.invocation_id = any(array(select invocation_id from gone))
      and not exists (
        select from runs r where r.account_id = ${accountId} and r.invocation_id = k.invocation_id
          and not exists (select from gone g where g.session_pk = r.session_pk and g.invocation_id = r.invocation_id)
      )`;
