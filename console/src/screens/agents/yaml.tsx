import { useDraft } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Form } from '../../kit/field.tsx';
import { When } from '../../kit/states.tsx';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { Editor } from './editor.tsx';

/** The agent as YAML. It is saved only over the version that was shown; the server says what is wrong, and where. */
export function Yaml({ id }: { readonly id: string }) {
  const key = `agent:${id}:yaml`;
  const known = useQuery(key, () => readYaml(id));
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(read) => <YamlForm id={id} read={read} />}
    </When>
  );
}

function YamlForm({ id, read }: { readonly id: string; readonly read: Read }) {
  const { base, draft, formKey } = useDraft(`agent:${id}:yaml`, read);
  const save = async (text: string): Promise<void> => {
    await mesh.agents.replaceWithYaml(id, text, { ifMatch: base.tag });
    await invalidate(`agent:${id}`, 'apps');
    say(t.agents.saved);
  };
  return (
    <Form key={formKey} submit={t.actions.save} draft={draft} onSubmit={({ yaml = '' }) => save(yaml)}>
      <Editor name="yaml" value={draft.values?.['yaml'] ?? base.text} id={id} />
    </Form>
  );
}

interface Read {
  readonly text: string;
  readonly tag: string;
}

async function readYaml(id: string): Promise<Read> {
  const [text, { version }] = await Promise.all([mesh.agents.yaml(id), mesh.agents.get(id)]);
  return { text, tag: `"${version}"` };
}
