import type { SessionName } from '@agentmesh/client';
import { useDraft } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { sessionKey, sessionPath } from '../../data/session-record.ts';
import { Field, Form } from '../../kit/field.tsx';
import { When } from '../../kit/states.tsx';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';

interface Read {
  readonly state: Readonly<Record<string, unknown>>;
  readonly tag: string | undefined;
}

/** The state as JSON. It is saved only over the state that was shown. */
export function State({ place }: { readonly place: SessionName }) {
  const key = `${sessionKey(place)}:state`;
  const known = useQuery(key, () => readState(place));
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(read) => <StateForm place={place} read={read} />}
    </When>
  );
}

function StateForm({ place, read }: { readonly place: SessionName; readonly read: Read }) {
  const { base, draft, formKey } = useDraft(`${sessionKey(place)}:state`, read);
  const save = async (text: string): Promise<void> => {
    const stateDelta = deltaOf(base.state, objectOf(text));
    await mesh.request({
      method: 'PATCH',
      path: sessionPath(place),
      body: { stateDelta },
      headers: { 'if-match': base.tag },
    });
    say(t.sessions.stateSaved);
    await invalidate(sessionKey(place));
  };
  return (
    <Form key={formKey} submit={t.actions.save} draft={draft} onSubmit={({ state = '{}' }) => save(state)}>
      <Field
        label={t.sessions.state}
        name="state"
        hint={t.sessions.stateHint}
        value={JSON.stringify(base.state, null, 2)}
        rows={12}
        isMono
      />
    </Form>
  );
}

async function readState(place: SessionName): Promise<Read> {
  const { record, tag } = await mesh.requestTagged<{ state?: Record<string, unknown> }>({
    path: sessionPath(place),
    query: { limit: 1, order: 'desc' },
  });
  return { state: record.state ?? {}, tag };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(t.sessions.stateNoObject);
  return value as Readonly<Record<string, unknown>>;
}

/** The delta from one state to the other; null removes a value. */
function deltaOf(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries([...removed.map((name) => [name, null] as const), ...changed]);
}
