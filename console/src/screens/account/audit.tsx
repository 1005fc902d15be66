import type { Answer } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { t } from '../../texts.ts';

type Action = Answer<'listAudit'>[number];
const step = 50;

/** Actions on the account, newest first. */
export function Audit() {
  const limit = useSignal(step);
  const key = `audit?${limit.value}`;
  const known = useQuery(key, () => mesh.account.audit({ limit: limit.value }).page());
  return (
    <When known={known} retry={() => invalidate('audit')}>
      {({ items: entries, next }) => (
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
          {next !== undefined && limit.value < 200 && (
            <div class="row pill">
              <Button onPress={() => (limit.value += step)}>{t.actions.more}</Button>
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
