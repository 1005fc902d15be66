import { useSignal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { differencesOf } from './differences.ts';

/** The latest 100 versions of an agent, newest first, each with what it changed as far as the one before it is known. */
export function Versions({ id }: { readonly id: string }) {
  const key = `agent:${id}:versions`;
  const known = useQuery(key, () => mesh.agents.versions(id));
  const opened = useSignal<number | undefined>(undefined);
  const restore = async (version: number): Promise<void> => {
    await mesh.agents.restore(id, version);
    await invalidate(`agent:${id}`, 'apps');
    say(t.agents.restored);
  };
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(listed) => {
        const versions = listed.toSorted((a, b) => b.version - a.version);
        return (
          <div class="card lines">
            {versions.map(({ version, created_at: at, agent }, index) => (
              <div key={version} class="stack tight">
                <div class="row">
                  <span class="grow">
                    {t.sessions.version} {version}
                  </span>
                  <span class="small muted">
                    <Time at={at} />
                  </span>
                  {(version === 1 || versions[index + 1] !== undefined) && (
                    <Button
                      isTiny
                      kind="quiet"
                      pressed={opened.value === version}
                      onPress={() => (opened.value = opened.value === version ? undefined : version)}
                    >
                      {t.agents.changes}
                    </Button>
                  )}
                  {index > 0 && (
                    <Button isTiny onPress={() => restore(version)}>
                      {t.agents.restore}
                    </Button>
                  )}
                </div>
                {opened.value === version && <Difference before={versions[index + 1]?.agent ?? {}} after={agent} />}
              </div>
            ))}
          </div>
        );
      }}
    </When>
  );
}

interface DifferenceProps {
  readonly before: object;
  readonly after: object;
}

function Difference({ before, after }: DifferenceProps) {
  const lines = differencesOf(linesOf(before), linesOf(after));
  return (
    <div class="diff code mono">
      {lines.map(({ sign, text }, index) => (
        <div key={index} class={{ '+': 'added', '-': 'removed', ' ': '' }[sign]}>
          {sign} {text}
        </div>
      ))}
    </div>
  );
}

function linesOf(record: object): readonly string[] {
  const shown = Object.entries(record).filter(([name]) => !['updated_at', 'created_at', 'version'].includes(name));
  return JSON.stringify(Object.fromEntries(shown), null, 2).replaceAll('\\n', '\n').split('\n');
}
