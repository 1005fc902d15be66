import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Form } from '../../kit/field.tsx';
import { When } from '../../kit/states.tsx';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { useSignal } from '@preact/signals';
import { Editor } from './editor.tsx';

/** The agent as YAML. It is saved only over the version that was shown; the server says what is wrong, and where. */
export function Yaml({ id }: { readonly id: string }) {
  const key = `agent:${id}:yaml`;
  const saved = useSignal(0);
  const known = useQuery(key, () => readYaml(id));
  const save = async (text: string, tag: string | undefined): Promise<void> => {
    await mesh.agents.replaceWithYaml(id, text, { ifMatch: tag });
    await invalidate(`agent:${id}`, 'apps');
    saved.value += 1;
    say(t.agents.saved);
  };
  return (
    <When known={known} retry={() => invalidate(key)}>
      {({ text, tag }) => (
        <Form key={saved.value} submit={t.actions.save} onSubmit={({ yaml = '' }) => save(yaml, tag)}>
          <Editor name="yaml" value={text} id={id} />
        </Form>
      )}
    </When>
  );
}

async function readYaml(id: string) {
  const [text, { version }] = await Promise.all([mesh.agents.yaml(id), mesh.agents.get(id)]);
  return { text, tag: `"${version}"` };
}
