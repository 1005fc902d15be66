import type { WebhookLog } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useDraftedDialog } from '../../data/drafts.ts';
import { useList } from '../../data/list.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { type Column, ListTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { href } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { AddMail } from './add-mail.tsx';
import { MailAccounts, useMailAccounts } from './mail-accounts.tsx';

/** Mailboxes whose mail starts agents, and what arrived. */
export function Mail() {
  const adding = useDraftedDialog('mail:new');
  const hasAccount = (useMailAccounts().data ?? []).length > 0;
  return (
    <>
      <div class="row">
        <p class="muted grow">{t.mail.lead}</p>
        {hasAccount && (
          <Button kind="first" icon="plus" onPress={adding.open}>
            {t.mail.subscribe}
          </Button>
        )}
      </div>
      <MailAccounts />
      <Subscriptions />
      {adding.isOpen && <AddMail draft={adding.draft} onClose={adding.close} />}
    </>
  );
}

function Subscriptions() {
  const known = useQuery('mail?subscriptions', () => mesh.webhooks.list());
  const [sure, ask] = useSure();
  return (
    <When known={known} retry={() => invalidate('mail?')}>
      {(subscriptions) =>
        subscriptions.length === 0 ? (
          <Empty icon="mail" title={t.automation.noMail} text={t.automation.noMailText} />
        ) : (
          <>
            <h2>{t.mail.subscriptions}</h2>
            <div class="card lines">
              {subscriptions.map((it) => (
                <div key={it.id} class="row">
                  <span class="grow">
                    {it.mailbox} → <AppName name={`agent${it.agent_id}`} />
                    {it.last_error && <span class="small bad toned"> {it.last_error}</span>}
                  </span>
                  <Badge tone={it.status === 'active' ? 'good' : 'warn'}>{it.status}</Badge>
                  <Button isTiny onPress={() => change(mesh.webhooks.renew(it.id))}>
                    {t.automation.renew}
                  </Button>
                  <Button
                    isTiny
                    kind="quiet"
                    icon="trash"
                    label={t.actions.delete}
                    onPress={() =>
                      ask(t.mail.delete, t.mail.deleteText, t.actions.delete, () => change(mesh.webhooks.delete(it.id)))
                    }
                  />
                </div>
              ))}
            </div>
            <h2>{t.automation.arrived}</h2>
            <Logs />
            {sure}
          </>
        )
      }
    </When>
  );
}

async function change(act: Promise<unknown>): Promise<void> {
  await act;
  await invalidate('mail?');
}

const columns: readonly Column<WebhookLog>[] = [
  { title: t.automation.subject, cell: ({ email_subject: subject }) => subject ?? '' },
  { title: t.automation.sender, cell: ({ email_sender: sender }) => sender ?? '', isWide: true },
  { title: t.runs.status, cell: ({ status }) => status },
  { title: t.runs.started, cell: ({ created_at: at }) => <Time at={at} /> },
  {
    title: t.nav.runs,
    cell: ({ invocation_id: run }) => (run === null ? '' : <a href={href`/runs/${run}`}>{t.actions.open}</a>),
  },
  { title: t.keys.actions, cell: ({ id }) => <Again id={id} /> },
];

function Again({ id }: { readonly id: number }) {
  const again = async (): Promise<void> => {
    await mesh.webhooks.retrigger(id);
    say(t.automation.started);
    await invalidate('mail?');
  };
  return (
    <Button isTiny onPress={again}>
      {t.run.again}
    </Button>
  );
}

function Logs() {
  const list = useList({
    key: 'mail?logs',
    read: () => mesh.webhooks.logs({ limit: 50 }),
    idOf: ({ id }) => id,
    everyMs: 15_000,
  });
  return (
    <ListTable
      label={t.automation.arrived}
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      empty={<p class="muted">{t.automation.nothingArrived}</p>}
    />
  );
}
