import { AgentMesh, type Answer } from '@agentmesh/client';
import { watchedFetch } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

type Readiness = Answer<'getReadiness'>;

const probe = new AgentMesh({ token: () => undefined, tries: 1, fetch: fetchReadiness });

/** Which services are well. */
export function Health() {
  const known = useQuery('admin?health', () => probe.call('GET', '/readyz', {}), { everyMs: 15_000 });
  return (
    <section class="stack tight">
      <h2>{t.admin.health}</h2>
      <When known={known} retry={() => invalidate('admin?health')}>
        {({ checks }) => (
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

/** While a service fails, the checks come with 503 and below `detail`. Another 503 stays a failure: a proxy's has no checks. */
async function fetchReadiness(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await watchedFetch(input, init);
  if (response.status !== 503) return response;
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { detail?: Partial<Readiness> } | undefined;
  return body?.detail?.checks === undefined ? response : Response.json(body.detail);
}
