import type { Answer } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { session } from '../../data/session.ts';
import { Field, Form } from '../../kit/field.tsx';
import { Json } from '../../kit/json.tsx';
import { count } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { lengthOf } from '../../kit/time.tsx';
import { t } from '../../texts.ts';
import { Accounts } from './accounts.tsx';
import { Health } from './health.tsx';

type Slow = Answer<'listSlowAccounts'>[number];

/** For admins: the health of the services, slow accounts, and what holds a run. */
export function Admin() {
  if (session.value?.role !== 'ADMIN') return <Empty icon="shield" title={t.admin.only} text={t.admin.onlyText} />;
  return (
    <Page title={t.nav.admin} lead={t.admin.lead}>
      <Health />
      <section class="stack tight">
        <h2>{t.admin.slow}</h2>
        <SlowAccounts />
      </section>
      <Why />
      <Accounts />
    </Page>
  );
}

const columns: readonly Column<Slow>[] = [
  { title: t.nav.account, cell: AccountCell },
  { title: t.nav.runs, cell: ({ runs }) => count(runs), isNumber: true },
  { title: t.admin.active, cell: ({ active }) => count(active), isNumber: true, isWide: true },
  { title: t.runStatus.failed, cell: ({ failed }) => count(failed), isNumber: true, isWide: true },
  { title: t.admin.mean, cell: ({ mean_seconds: mean }) => lengthOf(mean), isNumber: true },
  { title: t.admin.longest, cell: ({ longest_seconds: most }) => lengthOf(most), isNumber: true, isWide: true },
  { title: t.admin.reason, cell: ({ reason }) => reason },
];

function AccountCell({ email, account_id: id }: Slow) {
  return (
    <>
      {email}
      <div class="small muted">
        <code>{id}</code>
      </div>
    </>
  );
}

function SlowAccounts() {
  const known = useQuery('admin?slow', () => mesh.call('GET', '/api/admin/slow', { query: { minutes: 60 } }));
  return (
    <When known={known} retry={() => invalidate('admin?slow')}>
      {(accounts) =>
        accounts.length === 0 ? (
          <p class="card pad muted">{t.admin.noneSlow}</p>
        ) : (
          <Table label={t.admin.slow} columns={columns} rows={accounts} keyOf={({ account_id: id }) => id} />
        )
      }
    </When>
  );
}

function Why() {
  const held = useSignal<object | undefined>(undefined);
  const ask = async ({ id = '' }: Readonly<Record<string, string>>): Promise<void> => {
    held.value = undefined;
    held.value = await mesh.call('GET', '/api/admin/runs/{invocation_id}/why', { path: { invocation_id: id.trim() } });
  };
  return (
    <section class="card pad stack">
      <h2>{t.admin.why}</h2>
      <Form submit={t.admin.ask} onSubmit={ask}>
        <Field label={t.admin.runId} name="id" isMono isRequired />
      </Form>
      {held.value && <Json value={held.value} />}
    </section>
  );
}
