import type { Schedule } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { useDraftedDialog } from '../../data/drafts.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Page, Tabs } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { ClockTime, Time } from '../../kit/time.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { base, choiceOf, href } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { AddSchedule } from './add-schedule.tsx';
import { cronInWords } from './cron-in-words.ts';
import { Mail } from './mail.tsx';
import { Webhooks } from './webhooks.tsx';

const tabs = ['schedules', 'mail', 'webhooks'] as const;

/** Schedules, mail and webhooks: they start runs without a person, and tell of their ends. */
export function Automation() {
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: `${base}/automation${tab === 'schedules' ? '' : `?tab=${tab}`}`,
    text: t.automation[tab],
    isHere: tab === here,
  }));
  return (
    <Page title={t.nav.automation} lead={t.automation.lead}>
      <Tabs tabs={links} />
      {here === 'schedules' && <Schedules />}
      {here === 'mail' && <Mail />}
      {here === 'webhooks' && <Webhooks />}
    </Page>
  );
}

function Schedules() {
  const known = useQuery('schedules', () => mesh.schedules.list(), { everyMs: 15_000 });
  const adding = useDraftedDialog('schedule:new');
  return (
    <>
      <div class="row">
        <p class="muted grow">{t.automation.schedulesLead}</p>
        <Button kind="first" icon="plus" onPress={adding.open}>
          {t.automation.addSchedule}
        </Button>
      </div>
      <When known={known} retry={() => invalidate('schedules')}>
        {(schedules) =>
          schedules.length === 0 ? (
            <Empty icon="clock" title={t.automation.none} text={t.automation.noneText} />
          ) : (
            schedules.map((schedule) => <Entry key={schedule.id} schedule={schedule} />)
          )
        }
      </When>
      {adding.isOpen && <AddSchedule draft={adding.draft} onClose={adding.close} />}
    </>
  );
}

function Entry({ schedule }: { readonly schedule: Schedule }) {
  const { id, cron, timezone, app_name: app, user_id: user, session_id: session, enabled } = schedule;
  const [sure, ask] = useSure();
  const change = async (act: Promise<unknown>): Promise<void> => {
    await act;
    await invalidate('schedules');
  };
  return (
    <section class="card pad stack tight">
      <div class="row entry-head">
        <h2>{cronInWords(cron)}</h2>
        <Badge tone={enabled ? 'good' : undefined}>{enabled ? t.automation.on : t.automation.paused}</Badge>
        <Button isTiny onPress={() => change(enabled ? mesh.schedules.pause(id) : mesh.schedules.resume(id))}>
          {enabled ? t.automation.pause : t.automation.resume}
        </Button>
        <LinkButton
          isTiny
          href={`${base}/runs?${new URLSearchParams({ app, user, ...(session && { session }) }).toString()}`}
        >
          {t.automation.history}
        </LinkButton>
        <Button
          isTiny
          kind="quiet"
          icon="trash"
          label={t.actions.delete}
          onPress={() =>
            ask(t.automation.delete, t.automation.deleteText, t.actions.delete, () => change(mesh.schedules.delete(id)))
          }
        />
      </div>
      <p>
        <AppName name={app} />: {(schedule.new_message.parts ?? []).map(({ text }) => text ?? '').join(' ')}
      </p>
      <p class="small muted">
        <code>{cron}</code> {timezone}
      </p>
      {enabled && (
        <p class="row small muted">
          {t.automation.next}
          {schedule.next_times.map((at) => (
            <ClockTime key={at} at={at} zone={timezone} />
          ))}
        </p>
      )}
      <LastRun schedule={schedule} />
      {sure}
    </section>
  );
}

/** The schedule may have got another app or user since. */
function hrefOf(
  { app_name: app, user_id: user, session_id: session }: NonNullable<Schedule['last_run']>,
  id: string,
): string {
  if (app === undefined || user === undefined) return href`/runs/${id}`;
  return href`/runs/${app}/${user}/${session}/${id}`;
}

function LastRun({ schedule }: { readonly schedule: Schedule }) {
  const { last_run: last, missed_ticks: missed } = schedule;
  return (
    <p class="row small muted">
      {last && (
        <>
          {t.automation.last}
          {last.invocation_id === null ? (
            <Time at={last.scheduled_at} />
          ) : (
            <a href={hrefOf(last, last.invocation_id)}>
              <Time at={last.scheduled_at} />
            </a>
          )}
          {last.error && <span class="bad toned">{last.error}</span>}
        </>
      )}
      {missed > 0 && <span class="warn toned">{`${missed} ${t.automation.missed}`}</span>}
    </p>
  );
}
