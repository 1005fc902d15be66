import { useDraft } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { invalidate } from '../../data/query.ts';
import { Form } from '../../kit/field.tsx';
import { Page } from '../../kit/page.tsx';
import { base, go, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import './agents.css';
import { Editor } from './editor.tsx';

const sample = `name: planner
model: openai/gpt-5-mini
description: Plans a week.
instruction: |
  You plan weeks. Ask what is missing, then answer with a table of the days.
tools:
  - get_current_time
`;

/** Makes an agent from YAML. The server checks it and says what is wrong, and where. */
export function NewAgent() {
  const { base: text, draft, formKey } = useDraft('agent:new', sample);
  const create = async (yaml: string): Promise<void> => {
    const made = await mesh.agents.createFromYaml(yaml);
    draft.drop();
    await invalidate('apps');
    go(screen`/agents/${made.agent_id}`);
  };
  return (
    <Page
      title={t.chat.makeAgent}
      lead={t.agents.newLead}
      crumb={{ href: `${base}/agents`, text: t.nav.agents }}
      isNarrow
    >
      <Form key={formKey} submit={t.actions.create} draft={draft} onSubmit={({ yaml = '' }) => create(yaml)}>
        <Editor name="yaml" value={draft.values?.['yaml'] ?? text} />
      </Form>
    </Page>
  );
}
