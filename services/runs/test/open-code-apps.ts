import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { createLogger } from '@agentmesh/lib/telemetry';
import { type CodeApps, createCodeApps } from '../src/apps/code/host/code-apps.ts';
import type { CodeConfig } from '../src/apps/code/host/code-settings.ts';
import { createModels, type Models } from '../src/models/index.ts';

const endpoint = { baseUrl: 'http://127.0.0.1:9' };

/** Models that need no network. */
export function testModels(): Models {
  return createModels({ openai: endpoint, anthropic: endpoint, gemini: endpoint, timeoutMs: 1_000 });
}

/** Workers whose limits no busy machine reaches. */
export function openCodeApps(
  { toolTimeoutMs = 60_000, ...config }: Partial<CodeConfig> & { readonly toolTimeoutMs?: number } = {},
  models = testModels(),
  fetch = createGuardedFetch({ allow: [] }),
  log = createLogger({ level: 'silent', name: 'test' }),
): CodeApps {
  return createCodeApps({
    config: { env: {}, memoryMb: 512, busyMs: 60_000, loadMs: 120_000, ...config },
    limits: { maxModelCalls: 5, toolTimeoutMs },
    fetch,
    models,
    log,
  });
}
