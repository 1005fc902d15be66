import './keys.css';
import type { SavedKey } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { type Draft, useDraftedDialog } from '../../data/drafts.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { Page, Tabs } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say, sayError } from '../../kit/toasts.tsx';
import { base, choiceOf } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { Limits } from './limits.tsx';
import { Usage } from './usage.tsx';

const tabs = ['keys', 'limits', 'usage'] as const;

/** Saved keys, limits of use, and what was used. */
export function Keys() {
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: `${base}/keys${tab === 'keys' ? '' : `?tab=${tab}`}`,
    text: t.keys[tab],
    isHere: tab === here,
  }));
  return (
    <Page title={t.nav.keys} lead={t.keys.lead}>
      <Tabs tabs={links} />
      {here === 'keys' && <SavedKeys />}
      {here === 'limits' && <Limits />}
      {here === 'usage' && <Usage />}
    </Page>
  );
}

const columns: readonly Column<SavedKey>[] = [
  { title: t.keys.name, cell: ({ key_name: name }) => name },
  { title: t.keys.provider, cell: ({ provider }) => provider, isWide: true },
  { title: t.keys.value, cell: ({ last_four: end }) => <code>…{end}</code>, isWide: true },
  { title: t.runs.model, cell: ({ model }) => <code>{model ?? ''}</code>, isWide: true },
  { title: t.runs.status, cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'warn'}>{status}</Badge> },
  { title: t.keys.used, cell: ({ last_used_at: at }) => <Time at={at} />, isWide: true },
  { title: t.keys.actions, cell: ({ api_key_id: id }) => <Actions id={id} /> },
];

function Actions({ id }: { readonly id: string }) {
  const [sure, ask] = useSure();
  const remove = async (): Promise<void> => {
    await mesh.keys.delete(id);
    await invalidate('keys');
  };
  return (
    <div class="row">
      <Button isTiny onPress={() => test(id)}>
        {t.actions.test}
      </Button>
      <Button
        isTiny
        kind="quiet"
        icon="trash"
        label={t.actions.delete}
        onPress={() => ask(t.keys.delete, t.keys.deleteText, t.actions.delete, remove)}
      />
      {sure}
    </div>
  );
}

function SavedKeys() {
  const known = useQuery('keys', () => mesh.keys.list());
  const adding = useDraftedDialog('key:new');
  return (
    <>
      <div class="row">
        <p class="muted grow">{t.keys.savedLead}</p>
        <Button kind="first" icon="plus" onPress={adding.open}>
          {t.home.addKey}
        </Button>
      </div>
      <When known={known} retry={() => invalidate('keys')}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon="key" title={t.keys.none} text={t.keys.noneText} />
          ) : (
            <Table label={t.keys.keys} columns={columns} rows={keys} keyOf={({ api_key_id: id }) => id} />
          )
        }
      </When>
      {adding.isOpen && <AddKey draft={adding.draft} onClose={adding.close} />}
    </>
  );
}

async function test(id: string): Promise<void> {
  const { ok, message, latency_ms: ms } = await mesh.keys.test(id);
  if (ok) say(`${t.keys.good} ${ms} ms`);
  else sayError(new Error(message));
  await invalidate('keys');
}

interface AddKeyProps {
  readonly draft: Draft;
  readonly onClose: () => void;
}

function AddKey({ draft, onClose }: AddKeyProps) {
  const add = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { key_name = '', provider = '', api_key_value = '', model = '', model_api_base: address = '' } = values;
    await mesh.keys.create({
      key_name,
      provider,
      api_key_value,
      model: model === '' ? null : model,
      model_api_base: address === '' ? null : address,
    });
    await invalidate('keys');
    onClose();
  };
  return (
    <Dialog title={t.home.addKey} onClose={onClose}>
      <Form submit={t.actions.save} draft={draft} onSubmit={add}>
        <div class="pair">
          <Field label={t.keys.name} name="key_name" isRequired />
          <Field label={t.keys.provider} name="provider" options={providers} />
        </div>
        <Field
          label={t.keys.value}
          name="api_key_value"
          type="password"
          autocomplete="off"
          hint={t.keys.valueHint}
          isRequired
        />
        <div class="pair">
          <Field label={t.runs.model} name="model" hint={t.keys.modelHint} />
          <Field label={t.keys.address} name="model_api_base" type="url" hint={t.keys.addressHint} />
        </div>
      </Form>
    </Dialog>
  );
}

const providers = ['openai', 'anthropic', 'gemini', 'openrouter', 'other'].map((name) => [name, name] as const);
