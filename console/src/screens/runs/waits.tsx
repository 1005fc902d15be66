import type { Run } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate } from '../../data/query.ts';
import { countWaiting } from '../../data/waiting.ts';
import { Asked } from '../../parts/approval.tsx';
import { sessionOf } from '../../parts/run-path.ts';
import { t } from '../../texts.ts';

/** The calls of a run that wait for a person, to be answered in place. */
export function Waits({ run }: { readonly run: Run }) {
  const waits = run.status === 'waiting' ? (run.waitingFor ?? []) : [];
  if (waits.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t.run.waitsFor}</h2>
      {waits.map((call) => (
        <Asked
          key={call.functionCallId}
          place={sessionOf(run)}
          id={call.functionCallId}
          call={call}
          answer={async (response) => {
            await mesh.runs.answer(run, { id: call.functionCallId, name: call.name, response }, run);
            await Promise.all([invalidate('run:', 'runs'), countWaiting()]);
          }}
        />
      ))}
    </section>
  );
}
