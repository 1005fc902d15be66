import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesServer } from './kubernetes-server.ts';

interface Template {
  readonly metadata: { readonly labels: object };
  readonly spec: object;
}

export interface Workload {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: Template };
}

type Job = Workload & { readonly status: { readonly succeeded?: number } };

/** Everything of a kind in a namespace, e.g. `apps/v1`, `deployments`. */
export async function listOf<T>(server: KubernetesServer, group: string, kind: string): Promise<T[]> {
  return ((await server.call('GET', `/apis/${group}/namespaces/mesh/${kind}`)) as { items: T[] }).items;
}

/** Makes a pod of a workload, as its controller does: the server admits it, or the call rejects with the reason. */
export async function makePod(
  server: KubernetesServer,
  { metadata: { name }, spec: { template } }: Workload,
): Promise<void> {
  const { metadata, spec } = template;
  const pod = { metadata: { generateName: `${name}-`, labels: metadata.labels }, spec };
  await server.call('POST', '/api/v1/namespaces/mesh/pods', pod);
}

/** Does the work of the controllers that are not there: makes a pod of each job, and says that it has succeeded. A pod that is refused ends it with the reason. */
export async function completeJobs(server: KubernetesServer, signal: AbortSignal): Promise<string[]> {
  const completed: string[] = [];
  while (!signal.aborted) {
    const jobs = await listOf<Job>(server, 'batch/v1', 'jobs');
    for (const job of jobs.filter(({ status }) => status.succeeded === undefined)) {
      await makePod(server, job);
      const now = new Date().toISOString();
      const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
      const status = { succeeded: 1, startTime: now, completionTime: now, conditions };
      await server.call('PATCH', `/apis/batch/v1/namespaces/mesh/jobs/${job.metadata.name}/status`, { status });
      completed.push(job.metadata.name);
    }
    await sleep(100);
  }
  return completed;
}
