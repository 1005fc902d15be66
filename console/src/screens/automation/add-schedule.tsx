import { useSignal } from '@preact/signals';
import { loadApps } from '../../data/apps.ts';
import { mesh } from '../../data/client.ts';
import type { Draft } from '../../data/drafts.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { t } from '../../texts.ts';
import { cronInWords } from './cron-in-words.ts';

const first = '0 9 * * 1-5';

interface AddScheduleProps {
  readonly draft: Draft;
  readonly onClose: () => void;
}

export function AddSchedule({ draft, onClose }: AddScheduleProps) {
  const apps = useQuery('apps', loadApps).data ?? [];
  const cron = useSignal(draft.values?.['cron'] ?? first);
  const add = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { app_name = '', user_id = '', new_message: text = '', session_id = '', timezone = '' } = values;
    await mesh.schedules.create({
      cron: cron.value,
      timezone,
      app_name,
      user_id,
      session_id: session_id === '' ? null : session_id,
      new_message: { role: 'user', parts: [{ text }] },
    });
    await invalidate('schedules');
    onClose();
  };
  return (
    <Dialog title={t.automation.addSchedule} onClose={onClose}>
      <Form submit={t.actions.create} draft={draft} onSubmit={add}>
        <div class="pair">
          <Field
            label={t.automation.cron}
            name="cron"
            value={first}
            hint={cronInWords(cron.value)}
            onChange={(value) => (cron.value = value)}
            isMono
            isRequired
          />
          <Field
            label={t.automation.timezone}
            name="timezone"
            value={Intl.DateTimeFormat().resolvedOptions().timeZone}
            isRequired
          />
        </div>
        <div class="pair">
          <Field label={t.runs.agent} name="app_name" options={apps.map(({ name, title }) => [name, title])} />
          <Field label={t.runs.user} name="user_id" value="user" isRequired />
        </div>
        <Field label={t.automation.message} name="new_message" rows={3} isRequired />
        <Field label={t.automation.session} name="session_id" hint={t.automation.sessionHint} />
      </Form>
    </Dialog>
  );
}
