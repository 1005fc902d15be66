import type { User } from '@agentmesh/client';
import { useRef } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { count } from '../../kit/numbers.ts';
import { When } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';

const size = 20;

const columns: readonly Column<User>[] = [
  { title: t.account.email, cell: ({ email }) => email },
  { title: t.account.name, cell: ({ first_name: first, last_name: last }) => `${first} ${last}`, isWide: true },
  { title: t.account.role, cell: ({ role }) => role.toLowerCase() },
  { title: t.account.since, cell: ({ created_at: at }) => <Time at={at} />, isWide: true },
];

/** All accounts, a page at a time; the address holds the page. */
export function Accounts() {
  const page = Math.max(1, Number(query.value.get('page') ?? 1) || 1);
  const known = useQuery(`admin?accounts=${page}`, () => mesh.call('GET', '/api/users/', { query: { page, size } }));
  // The page before stays until the next one is read, with its buttons under the pointer and the focus.
  const before = useRef(known.data);
  before.current = known.data ?? before.current;
  const shown = known.isLoading ? { ...known, data: before.current } : known;
  const turn = (to: number): void => setQuery({ page: to === 1 ? '' : String(to) });
  return (
    <section class="stack tight">
      <h2>{t.admin.accounts}</h2>
      <When known={shown} retry={() => invalidate('admin?accounts')}>
        {({ results, total, page: at, has_next: hasNext, has_previous: hasPrevious }) => (
          <>
            <Table label={t.admin.accounts} columns={columns} rows={results} keyOf={({ user_id: id }) => id} />
            <div class="row">
              <span class="grow small muted">{`${count(total)} ${t.admin.accounts.toLowerCase()}`}</span>
              <Button isTiny isOff={!hasPrevious} onPress={() => turn(at - 1)}>
                {t.actions.previous}
              </Button>
              <Button isTiny isOff={!hasNext} onPress={() => turn(at + 1)}>
                {t.actions.next}
              </Button>
            </div>
          </>
        )}
      </When>
    </section>
  );
}
