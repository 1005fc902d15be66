import type { Run } from '@agentmesh/client';
import { count, dollars } from '../../kit/numbers.ts';
import { Facts, shortId } from '../../kit/page.tsx';
import { lengthOf, Time } from '../../kit/time.tsx';
import { base } from '../../shell/router.ts';
import { t } from '../../texts.ts';

export function RunFacts({ run }: { readonly run: Run }) {
  const { userId, sessionId, usage, startTime, endTime, attempt, model, createTime } = run;
  const agentVersion = 'agentVersion' in run ? String(run.agentVersion) : undefined;
  return (
    <div class="card pad">
      <Facts
        facts={[
          [t.run.created, <Time at={createTime} />],
          [t.runs.took, startTime !== undefined && endTime !== undefined ? lengthOf(endTime - startTime) : undefined],
          [t.runs.model, model && <code>{model}</code>],
          [
            t.run.version,
            agentVersion && (
              <a href={`${base}/runs?${new URLSearchParams({ app: run.appName, version: agentVersion }).toString()}`}>
                <code>{agentVersion}</code>
              </a>
            ),
          ],
          [t.run.modelCalls, usage?.modelCalls && count(usage.modelCalls)],
          [t.run.inTokens, usage && count(usage.promptTokenCount ?? 0)],
          [t.run.outTokens, usage && count(usage.candidatesTokenCount ?? 0)],
          [t.runs.cost, usage && dollars(usage.cost)],
          [t.run.user, userId],
          [t.run.session, <a href={base + `/runs?session=${encodeURIComponent(sessionId)}`}>{shortId(sessionId)}</a>],
          [t.run.attempt, attempt > 1 ? attempt : undefined],
        ]}
      />
    </div>
  );
}
