import type { Agent, Body, SavedKey } from '@agentmesh/client';
import { useDraft, type Values } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Field, Form } from '../../kit/field.tsx';
import { When } from '../../kit/states.tsx';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';

type Request = Body<'updateAgent'>;

/** The fields of an agent that are set most, as a form. All others stay as they are. */
export function AgentForm({ id }: { readonly id: string }) {
  const key = `agent:${id}:record`;
  const known = useQuery(key, () => mesh.agents.get(id));
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(agent) => <Fields id={id} read={agent} />}
    </When>
  );
}

function Fields({ id, read }: { readonly id: string; readonly read: Agent }) {
  const keys = useQuery('keys', () => mesh.keys.list()).data ?? [];
  const { base: agent, draft, formKey } = useDraft(`agent:${id}:record`, read);
  const save = async (values: Values): Promise<void> => {
    await mesh.agents.update(id, changed(agent, values), { ifMatch: `"${agent.version}"` });
    await invalidate(`agent:${id}`, 'apps');
    say(t.agents.saved);
  };
  return (
    <section class="card pad" key={formKey}>
      <Form submit={t.actions.save} draft={draft} onSubmit={save}>
        <div class="pair">
          <Field label={t.agents.name} name="agent_name" value={agent.agent_name} isRequired />
          <Field
            label={t.agents.model}
            name="agent_model"
            value={modelsOf(agent)}
            hint={t.agents.modelHint}
            isRequired
          />
        </div>
        <Field
          label={t.agents.key}
          name="agent_model_params.model_api_key"
          value={keyOf(agent)}
          options={keyOptions(keyOf(agent), keys)}
        />
        <Field label={t.agents.about} name="agent_description" value={agent.agent_description} />
        <Field label={t.agents.instruction} name="agent_instruction" value={agent.agent_instruction} rows={10} />
      </Form>
    </section>
  );
}

function modelsOf({ agent_model: model }: Agent): string {
  return typeof model === 'string' ? model : model.join(', ');
}

function keyOf({ agent_model_params: params }: Agent): string {
  const { model_api_key: key } = params as { readonly model_api_key?: unknown };
  return typeof key === 'string' ? key : '';
}

/** Keys to choose from: also the one that the agent has, where the list of saved keys is not there or has it no more. */
function keyOptions(own: string, keys: readonly SavedKey[]): readonly (readonly [value: string, text: string])[] {
  const saved = keys.map(
    ({ api_key_id: id, key_name: name, provider }) => [`saved:${id}`, `${name} (${provider})`] as const,
  );
  const isKnown = own === '' || saved.some(([value]) => value === own);
  const text = own.startsWith('saved:') ? own.slice('saved:'.length) : t.agents.ownKey;
  return [['', t.agents.noKey], ...(isKnown ? [] : [[own, text] as const]), ...saved];
}

/** A request without the fields that the server sets. */
function changed(agent: Agent, values: Values): Request {
  const { agent_id: _, owner_id: __, organization_id: ___, status: ____, version: _____, ...record } = agent;
  const { created_at: ______, updated_at: _______, ...fields } = record;
  const { agent_name = '', agent_model = '', agent_description = '', agent_instruction = '' } = values;
  const { 'agent_model_params.model_api_key': key = '' } = values;
  const models = agent_model.split(',').map((it) => it.trim());
  const { model_api_key: _key, ...params } = agent.agent_model_params as Record<string, unknown>;
  return {
    ...(fields as unknown as Request),
    agent_name,
    agent_model: models.length === 1 ? (models[0] ?? '') : models,
    agent_model_params: { ...params, ...(key !== '' && { model_api_key: key }) },
    agent_description,
    agent_instruction,
  };
}
