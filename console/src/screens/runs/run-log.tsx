import type { Run } from '@agentmesh/client';
import { useEffect } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { runPath } from '../../parts/run-path.ts';
import { t } from '../../texts.ts';

type Line = Awaited<ReturnType<typeof mesh.runs.log>>['lines'][number];

const tones: Readonly<Record<Line['level'], Tone>> = { debug: undefined, info: 'busy', warn: 'warn', error: 'bad' };
/** The server stores lines within a second, and tells nobody of them. */
const pauseMs = 1_500;
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** The log of a run: lines that its code has printed, and warnings of the mesh. It is read again while the run goes on, and once after its end. */
export function RunLog({ run }: { readonly run: Run }) {
  const { status } = run;
  const key = `log:${runPath(run)}`;
  const known = useQuery(key, () => mesh.runs.log(run));
  const goesOn = status === 'running' || status === 'queued';
  useEffect(() => {
    const again = (): void => void invalidate(key);
    const timer = goesOn ? setInterval(again, pauseMs) : setTimeout(again, pauseMs);
    return () => clearInterval(timer);
  }, [key, goesOn]);
  return (
    <When known={known} retry={() => invalidate(key)}>
      {({ lines, leftOut }) =>
        lines.length === 0 && leftOut === undefined ? (
          <Empty icon="runs" title={t.run.noLines} text={t.run.noLinesText} />
        ) : (
          <>
            <ol class="card log-lines" aria-label={t.run.log}>
              {lines.map((line, index) => (
                <LogLine key={index} line={line} />
              ))}
            </ol>
            {leftOut !== undefined && (
              <p class="muted">
                {leftOut} {t.run.linesLeftOut}
              </p>
            )}
          </>
        )
      }
    </When>
  );
}

function LogLine({ line: { time, level, message, source, attributes } }: { readonly line: Line }) {
  const date = new Date(time * 1_000);
  const stack = attributes?.['stack'];
  return (
    <li>
      <time class="small muted number" dateTime={date.toISOString()} title={date.toISOString()}>
        {clock.format(date)}
      </time>
      <Badge tone={tones[level]}>{level}</Badge>
      <span class="small muted">{source === 'app' ? t.run.ofApp : t.run.ofMesh}</span>
      <pre>{typeof stack === 'string' ? `${message}\n${stack}` : message}</pre>
    </li>
  );
}
