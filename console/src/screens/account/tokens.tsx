import type { Body, PersonalToken } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { asOwner } from '../../data/as-owner.ts';
import { mesh } from '../../data/client.ts';
import { type Draft, useDraftedDialog } from '../../data/drafts.ts';
import { useList } from '../../data/list.ts';
import { invalidate } from '../../data/query.ts';
import { session } from '../../data/session.ts';
import { Button } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { Empty } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { type Column, ListTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { permissionsOf } from '../../parts/permissions.ts';
import { t } from '../../texts.ts';

type Scope = Body<'createPersonalToken'>['scopes'][number];

const scopes = [
  ...['account', 'apps'].map((area) => `${area}:read`),
  ...['agents', 'artifacts', 'integrations', 'keys', 'memory', 'runs', 'sessions', 'webhooks'].flatMap((area) => [
    `${area}:read`,
    `${area}:write`,
  ]),
  'audio:write',
] as Scope[];

/** Personal tokens with their scopes in words. */
export function Tokens() {
  const adding = useDraftedDialog('token:new');
  const [sure, ask] = useSure();
  const list = useList({ key: 'tokens', read: () => mesh.tokens.list(), idOf: ({ id }) => id });
  const revoke = async (id: string): Promise<void> => {
    await mesh.tokens.revoke(id);
    await invalidate('tokens');
  };
  const columns: readonly Column<PersonalToken>[] = [
    { title: t.account.name, cell: ({ name }) => name },
    { title: t.account.may, cell: ({ scopes: given }) => wordsOf(given), isWide: true },
    { title: t.account.used, cell: ({ last_used_at: at }) => <Time at={at} />, isWide: true },
    { title: t.account.until, cell: ({ expires_at: at }) => <Time at={at} /> },
    {
      title: t.keys.actions,
      cell: ({ id, name }) => (
        <Button
          isTiny
          kind="danger"
          onPress={() => ask(`${t.account.revoke} ${name}?`, t.account.revokeText, t.account.revoke, () => revoke(id))}
        >
          {t.account.revoke}
        </Button>
      ),
    },
  ];
  return (
    <>
      <div class="row">
        <p class="muted grow">{t.account.tokensLead}</p>
        <Button kind="first" icon="plus" onPress={adding.open}>
          {t.account.addToken}
        </Button>
      </div>
      <ListTable
        label={t.account.tokens}
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        retry={() => invalidate('tokens')}
        empty={
          <Empty icon="key" title={t.account.noTokens} text={t.account.noTokensText} command={t.account.tokenCommand} />
        }
      />
      {adding.isOpen && <AddToken draft={adding.draft} onClose={adding.close} />}
      {sure}
    </>
  );
}

function wordsOf(given: readonly string[]): string {
  return permissionsOf(given)
    .map(([area, verbs]) => `${area}: ${verbs}`)
    .join(', ');
}

interface AddTokenProps {
  readonly draft: Draft;
  readonly onClose: () => void;
}

function AddToken({ draft, onClose }: AddTokenProps) {
  const made = useSignal('');
  const { values: typed } = draft;
  const isChosen = (scope: Scope): boolean => (typed ? typed[scope] !== undefined : scope.startsWith('runs:'));
  const add = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { name = '', password = '', days = '90' } = values;
    const email = session.peek()?.email ?? '';
    const body = {
      name,
      scopes: scopes.filter((scope) => values[scope] !== undefined),
      expires_in_seconds: Number(days) * 86_400,
    };
    made.value = (await asOwner({ email, password }, (owner) => owner.tokens.create(body))).token;
    await invalidate('tokens');
  };
  return (
    <Dialog title={t.account.addToken} onClose={onClose}>
      {made.value === '' ? (
        <Form submit={t.actions.create} draft={draft} onSubmit={add}>
          <div class="pair">
            <Field label={t.account.name} name="name" isRequired />
            <Field label={t.account.days} name="days" type="number" value="90" min={1} isRequired />
          </div>
          <fieldset class="scopes">
            <legend>{t.account.may}</legend>
            {scopes.map((scope) => (
              <label key={scope} class="check">
                <input type="checkbox" name={scope} defaultChecked={isChosen(scope)} />
                {wordsOf([scope])}
              </label>
            ))}
          </fieldset>
          <Field
            label={t.account.password}
            name="password"
            type="password"
            autocomplete="current-password"
            hint={t.account.passwordHint}
            isRequired
          />
        </Form>
      ) : (
        <>
          <p>{t.account.shownOnce}</p>
          <Command text={made.value} />
        </>
      )}
    </Dialog>
  );
}
