import type { Answer } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useList } from '../../data/list.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { t } from '../../texts.ts';

type Action = Answer<'listAudit'>[number];

/** Actions on the account, newest first. */
export function Audit() {
  const account = useQuery('account', () => mesh.account.me());
  return (
    <When known={account} retry={() => invalidate('account')}>
      {({ user_id: id }) => <Actions userId={id} />}
    </When>
  );
}

/** The server tells an admin the actions on all accounts unless one is named. */
function Actions({ userId }: { readonly userId: number }) {
  const list = useList({
    key: 'audit',
    read: () => mesh.account.audit({ userId, limit: 50 }),
    idOf: ({ id }) => id,
  });
  return (
    <When known={list} retry={() => invalidate('audit')}>
      {(entries) => (
        <div class="stack">
          <ul class="card lines">
            {entries.map((entry) => (
              <li key={entry.id} class="row">
                <span class="grow">{wordsOf(entry)}</span>
                <span class="small muted">
                  <Time at={entry.at} />
                </span>
              </li>
            ))}
            {entries.length === 0 && <li class="muted">{t.account.noAudit}</li>}
          </ul>
          {list.more && (
            <div class="row pill">
              <Button onPress={list.more}>{t.actions.more}</Button>
            </div>
          )}
        </div>
      )}
    </When>
  );
}

/** `signed_in` as `Signed in`, with the names that the action tells. */
function wordsOf({ action, detail }: Action): string {
  const words = action.replaceAll('_', ' ');
  const told = ['name', 'address', 'email'].map((key) => detail[key]).filter((value) => typeof value === 'string');
  return [words.charAt(0).toUpperCase() + words.slice(1), ...told].join(' · ');
}
