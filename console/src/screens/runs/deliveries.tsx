import { AgentMeshError, type Run } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty, When } from '../../kit/states.tsx';
import { Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toasts.tsx';
import { runPath } from '../../parts/run-path.ts';
import { t } from '../../texts.ts';

const tones = { pending: 'busy', delivered: 'good', failed: 'bad' } as const;

/** The messages to the webhook of a run. */
export function Deliveries({ run }: { readonly run: Run }) {
  const key = `deliveries:${runPath(run)}`;
  const known = useQuery(key, () => mesh.runs.webhookDeliveries(run).catch(noneWithoutWebhook), { everyMs: 5_000 });
  const resend = async (delivery: string): Promise<void> => {
    await mesh.runs.resendWebhook(run, delivery);
    say(t.run.resent);
    await invalidate(key);
  };
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <Empty icon="hook" title={t.run.noDeliveries} />
        ) : (
          <Table
            label={t.run.deliveries}
            rows={deliveries}
            keyOf={(it) => it.id}
            columns={[
              { title: t.deliveries.message, cell: ({ type }) => <code>{type}</code> },
              {
                title: t.runs.status,
                cell: ({ status, responseStatus, error }) => (
                  <>
                    <Badge tone={tones[status]}>{t.deliveries[status]}</Badge>{' '}
                    <span class="small muted">{error ?? responseStatus}</span>
                  </>
                ),
              },
              { title: t.deliveries.attempts, cell: ({ attempts }) => attempts, isNumber: true },
              { title: t.deliveries.last, cell: ({ lastAttemptTime }) => <Time at={lastAttemptTime} />, isWide: true },
              {
                title: '',
                cell: (it) => (
                  <Button isTiny icon="retry" onPress={() => resend(it.id)}>
                    {t.run.resend}
                  </Button>
                ),
              },
            ]}
          />
        )
      }
    </When>
  );
}

function noneWithoutWebhook(error: unknown): never[] {
  if (error instanceof AgentMeshError && error.code === 'run_webhook_not_found') return [];
  throw error;
}
