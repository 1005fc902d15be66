import { Command } from '../../kit/copy.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { base } from '../../shell/router.ts';
import { t } from '../../texts.ts';

const sample = `import { verifyWebhook } from '@agentmesh/client';

const message = await verifyWebhook(body, request.headers, { secret });`;

/** How the end of a run is told to another server. The deliveries of a run are on its page. */
export function Webhooks() {
  return (
    <section class="card pad stack">
      <p class="muted">{t.automation.webhooksLead}</p>
      <Command text={`{ "appName": "echo", …, "webhook": { "url": "https://example.com/runs" } }`} />
      <h2>{t.automation.verify}</h2>
      <Command text={sample} />
      <div class="row">
        <LinkButton icon="runs" href={`${base}/runs`}>
          {t.automation.findDeliveries}
        </LinkButton>
      </div>
    </section>
  );
}
