import { type Answer, ConnectionError } from '@agentmesh/client';
import { watchedFetch } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

type Checks = Answer<'getReadiness'>['checks'];

const longestMs = 30_000;

/** Which services are well. */
export function Health() {
  const known = useQuery('admin?health', readChecks, { everyMs: 15_000 });
  return (
    <section class="stack tight">
      <h2>{t.admin.health}</h2>
      <When known={known} retry={() => invalidate('admin?health')}>
        {(checks) => (
          <div class="card lines">
            {Object.entries(checks).map(([service, { ok, error }]) => (
              <div key={service} class="row">
                <span class="grow">{service}</span>
                {error && <span class="small bad toned">{error}</span>}
                <Badge tone={ok ? 'good' : 'bad'}>{ok ? t.admin.ok : t.admin.bad}</Badge>
              </div>
            ))}
          </div>
        )}
      </When>
    </section>
  );
}

/** The checks by service. While one fails, they come with 503 and below `detail`; a proxy's answer has none. */
async function readChecks(): Promise<Checks> {
  const response = await watchedFetch('/readyz', { signal: AbortSignal.timeout(longestMs) }).catch((error: unknown) => {
    throw new ConnectionError('The server cannot be reached.', error);
  });
  const body = (await response.json().catch(() => undefined)) as
    | { readonly checks?: Checks; readonly detail?: { readonly checks?: Checks } }
    | undefined;
  const checks = body?.checks ?? body?.detail?.checks;
  if (checks === undefined) throw new Error(`The server answered ${response.status}.`);
  return checks;
}
