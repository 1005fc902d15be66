import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

interface Part {
  readonly name: string;
  readonly description?: string;
  readonly instruction?: string;
  readonly tools?: readonly { readonly functionDeclarations?: readonly Tool[] }[];
}

interface Tool {
  readonly name: string;
  readonly description?: string;
}

/** The agents of an app with their instructions and tools. */
export function Parts({ app }: { readonly app: string }) {
  const known = useQuery(`agent:${app}:parts`, () => mesh.apps.info(app));
  return (
    <When known={known} retry={() => invalidate(`agent:${app}:parts`)}>
      {({ agents }) => (
        <div class="stack">
          {Object.values((agents ?? {}) as Readonly<Record<string, Part>>).map((part) => (
            <AgentPart key={part.name} part={part} />
          ))}
        </div>
      )}
    </When>
  );
}

function AgentPart({ part: { name, description, instruction, tools = [] } }: { readonly part: Part }) {
  const functions = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return (
    <section class="card pad stack tight">
      <h2>{name}</h2>
      {description && <p class="muted">{description}</p>}
      {instruction && <pre class="code">{instruction}</pre>}
      {functions.length > 0 && (
        <>
          <h3>{t.agents.tools}</h3>
          <dl class="tools">
            {functions.map((tool) => (
              <div key={tool.name}>
                <dt>
                  <code>{tool.name}</code>
                </dt>
                <dd class="muted">{tool.description}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}
