import './agents.css';
import { type AgentApp, loadApps } from '../../data/apps.ts';
import { forgetDrafts } from '../../data/drafts.ts';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Page, Tabs } from '../../kit/page.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { useSure } from '../../kit/sure.tsx';
import { base, choiceOf, go, href, type Params } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { AgentForm } from './agent-form.tsx';
import { AgentBadge, kindOf } from './agents.tsx';
import { Parts } from './parts.tsx';
import { Versions } from './versions.tsx';
import { Yaml } from './yaml.tsx';

const tabs = ['parts', 'edit', 'yaml', 'versions'] as const;

/** One agent: what it consists of and its mistakes; of a made one also its YAML and its versions. */
export function Agent({ params }: { readonly params: Params }) {
  const name = params['name'] ?? '';
  const known = useQuery('apps', loadApps, { everyMs: 10_000 });
  return (
    <When known={known} retry={() => invalidate('apps')}>
      {(apps) => {
        const app = apps.find((it) => it.name === name);
        return app === undefined ? (
          <Empty icon="agents" title={t.states.noAgent} text={t.states.notFoundText}>
            <LinkButton href={`${base}/agents`}>{t.nav.agents}</LinkButton>
          </Empty>
        ) : (
          <Shown key={name} app={app} />
        );
      }}
    </When>
  );
}

function Shown({ app }: { readonly app: AgentApp }) {
  const { name, title, recordId, mistakes } = app;
  const here = choiceOf('tab', tabs);
  const links = tabs.map((tab) => ({
    href: href`/agents/${name}` + (tab === 'parts' ? '' : `?tab=${tab}`),
    text: t.agents[tab],
    isHere: tab === here,
  }));
  return (
    <Page
      title={title}
      lead={app.description}
      crumb={{ href: `${base}/agents`, text: t.nav.agents }}
      actions={
        <>
          <LinkButton kind="first" icon="chat" href={href`/chat/${name}`}>
            {t.agents.try}
          </LinkButton>
          <LinkButton icon="runs" href={`${base}/runs?app=${encodeURIComponent(name)}`}>
            {t.nav.runs}
          </LinkButton>
          {recordId !== undefined && <Remove id={recordId} />}
        </>
      }
    >
      <div class="row">
        <AgentBadge state={app.state} />
        <span class="tag">{kindOf(app)}</span>
      </div>
      <Mistakes mistakes={mistakes} />
      {recordId !== undefined && <Tabs tabs={links} />}
      {(recordId === undefined || here === 'parts') && <Parts app={name} />}
      {recordId !== undefined && here === 'edit' && <AgentForm id={recordId} />}
      {recordId !== undefined && here === 'yaml' && <Yaml id={recordId} />}
      {recordId !== undefined && here === 'versions' && <Versions id={recordId} />}
    </Page>
  );
}

function Mistakes({ mistakes }: Pick<AgentApp, 'mistakes'>) {
  if (mistakes.length === 0) return null;
  return (
    <ul class="card lines">
      {mistakes.map(({ file, line, column, reason, key }) => (
        <li key={`${file}${line}${key}`}>
          <code class="bad toned">
            {[file, line, column].filter((part) => part !== undefined && part !== '').join(':')}
          </code>
          <p>
            {key !== '' && <code>{key}</code>} {reason}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Remove({ id }: { readonly id: string }) {
  const [sure, ask] = useSure();
  const remove = async (): Promise<void> => {
    await mesh.agents.delete(id);
    forgetDrafts(`agent:${id}:`);
    await invalidate('apps');
    go('/agents');
  };
  return (
    <>
      <Button
        kind="danger"
        icon="trash"
        onPress={() => ask(t.agents.delete, t.agents.deleteText, t.actions.delete, remove)}
      >
        {t.actions.delete}
      </Button>
      {sure}
    </>
  );
}
