import './device.css';
import { AgentMeshError, type Answer } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { session } from '../../data/session.ts';
import { Button } from '../../kit/button.tsx';
import { Field, Form } from '../../kit/field.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { query, setQuery } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { approve, deny } from './decide.ts';
import { permissionsOf } from '../../parts/permissions.ts';

/** Where a program sends a person to sign it in, e.g. `agentmesh login` (RFC 8628). */
export function Device() {
  const code = query.value.get('code') ?? '';
  return (
    <Page title={t.device.title} lead={t.device.lead} isNarrow>
      {code === '' ? <CodeForm /> : <Asking key={code} code={code} />}
    </Page>
  );
}

function CodeForm() {
  return (
    <section class="card pad device">
      <Form submit={t.device.next} onSubmit={({ code = '' }) => setQuery({ code: code.trim() })}>
        <Field label={t.device.code} name="code" placeholder="BCDF-GHJK" hint={t.device.codeHint} isMono isRequired />
      </Form>
    </section>
  );
}

type Outcome = 'approved' | 'denied';

function Asking({ code }: { readonly code: string }) {
  const key = `device:${code}`;
  const known = useQuery(key, () => mesh.call('GET', '/api/auth/device', { query: { code } }));
  const outcome = useSignal<Outcome | undefined>(undefined);
  if (outcome.value !== undefined) return <Decided outcome={outcome.value} client={known.data?.client ?? ''} />;
  if (known.error instanceof AgentMeshError && known.error.status === 404) return <Unknown />;
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(asked) => <Decision asked={asked} onDecided={(it) => (outcome.value = it)} />}
    </When>
  );
}

interface DecisionProps {
  readonly asked: Answer<'getDeviceSignIn'>;
  readonly onDecided: (outcome: Outcome) => void;
}

function Decision({ asked: { user_code: code, client, scopes, expires_at: expiresAt }, onDecided }: DecisionProps) {
  const email = session.value?.email ?? '';
  const submit = async ({ password = '' }: Readonly<Record<string, string>>): Promise<void> => {
    await approve({ code, email, password });
    onDecided('approved');
  };
  return (
    <section class="card pad stack device">
      <div class="stack tight">
        <h2 class="device-client">{client}</h2>
        <p class="muted">
          {t.device.asks} <b>{email}</b>
        </p>
      </div>
      <div class="device-code">
        <code>{code}</code>
        <span class="small muted">
          {t.device.expires} <Time at={expiresAt} />
        </span>
      </div>
      <div class="stack tight">
        <h3>{t.device.wants}</h3>
        <Facts facts={permissionsOf(scopes)} />
      </div>
      <p class="small warn toned">{t.device.warning}</p>
      <Form
        submit={t.actions.approve}
        onSubmit={submit}
        beside={
          <Button kind="danger" onPress={() => deny(code).then(() => onDecided('denied'))}>
            {t.device.deny}
          </Button>
        }
      >
        <input hidden readOnly autocomplete="username" value={email} />
        <Field
          label={t.sign.password}
          name="password"
          type="password"
          autocomplete="current-password"
          hint={t.device.passwordHint}
          isRequired
        />
      </Form>
    </section>
  );
}

function Decided({ outcome, client }: { readonly outcome: Outcome; readonly client: string }) {
  const { title, text } = t.device[outcome];
  return (
    <div role="status">
      <Empty icon={outcome === 'approved' ? 'check' : 'close'} title={`${client} ${title}`} text={text} />
    </div>
  );
}

function Unknown() {
  return (
    <Empty icon="search" title={t.device.unknown} text={t.device.unknownText}>
      <Button onPress={() => setQuery({ code: '' })}>{t.device.other}</Button>
    </Empty>
  );
}
