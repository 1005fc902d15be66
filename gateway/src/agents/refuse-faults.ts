import type { AgentFault } from '@agentmesh/proto/runs/v1/agents';
import { InvalidRequest } from '../edge/errors/request-error.ts';

/** Fails with 422 when the service found faults. The values are not answered, because one may be a key. */
export function refuseFaults(faults: readonly AgentFault[]): void {
  if (faults.length === 0) return;
  const issues = faults.map(({ path, reason }) => {
    const loc = ['body', ...path.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
    return { type: 'value_error', loc, msg: reason };
  });
  throw new InvalidRequest(issues);
}
