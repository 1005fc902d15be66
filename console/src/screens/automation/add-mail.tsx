import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import type { Draft } from '../../data/drafts.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { t } from '../../texts.ts';
import { useMailAccounts } from './mail-accounts.tsx';
import { previewOf, sampleMail } from './mail-template.ts';

type Word = 'microsoft_outlook' | 'google_gmail';

const wordOf = (provider: string): Word =>
  provider.includes('google') || provider.includes('vendorb') ? 'google_gmail' : 'microsoft_outlook';

interface AddMailProps {
  readonly draft: Draft;
  readonly onClose: () => void;
}

/** A new subscription: which mailbox starts which agent, and with what message. */
export function AddMail({ draft, onClose }: AddMailProps) {
  const accounts = useMailAccounts().data ?? [];
  const agents = useQuery('agents?all', () => mesh.agents.list().all()).data ?? [];
  const template = useSignal(draft.values?.['agent_message_template'] ?? '');
  const add = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { provider = '', agent_id = '', allowed_senders = '' } = values;
    await mesh.webhooks.create({
      provider: wordOf(provider),
      agent_id: Number(agent_id),
      agent_message_template: template.value.trim() === '' ? null : template.value,
      allowed_senders: allowed_senders.split(/[\s,]+/).filter((it) => it !== ''),
    });
    await invalidate('mail?');
    onClose();
  };
  return (
    <Dialog title={t.mail.subscribe} onClose={onClose}>
      <Form submit={t.mail.subscribe} draft={draft} onSubmit={add}>
        <div class="pair">
          <Field
            label={t.mail.mailbox}
            name="provider"
            options={accounts.map(({ provider, username }) => [provider, username])}
          />
          <Field
            label={t.runs.agent}
            name="agent_id"
            options={agents.map(({ agent_id: id, agent_name: name }) => [String(id), name])}
          />
        </div>
        <Field label={t.mail.senders} name="allowed_senders" hint={t.mail.sendersHint} />
        <Field
          label={t.mail.template}
          name="agent_message_template"
          rows={4}
          placeholder="{{ sender }}: {{ subject }}"
          hint={`${t.mail.templateHint} ${Object.keys(sampleMail).join(', ')}`}
          onChange={(value) => (template.value = value)}
          isMono
        />
        <div class="field">
          <span class="label">{t.mail.preview}</span>
          <pre class="card pad small" aria-live="polite">
            {previewOf(template.value)}
          </pre>
        </div>
      </Form>
    </Dialog>
  );
}
