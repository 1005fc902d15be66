import { AuthService } from '@agentmesh/proto/auth/v1';
import { ConsumerAudit, type MeshNode, type RecordConsumerCalls } from '../../rpc/index.ts';
import type { Logger } from '../../telemetry/index.ts';

const timeoutMs = 10_000;

/** A started service; auth records calls. */
interface Recorder {
  readonly recordConsumerCalls?: RecordConsumerCalls;
}

/** The audit of consumers of one process. */
export interface ProcessAudit {
  readonly audit: ConsumerAudit;
  /** Records from now on what was and will be called: by auth itself where it is one of these services, else by its RPC, in the name of each service. */
  start(running: ReadonlyMap<string, Recorder>, mesh: Pick<MeshNode, 'as'>): ConsumerAudit;
}

export function openAudit(log: Logger): ProcessAudit {
  let record: RecordConsumerCalls = () => Promise.reject(new Error('the process is starting'));
  const audit = new ConsumerAudit({ log, record: (service, calls) => record(service, calls) });
  return {
    audit,
    start(running, mesh) {
      record = running.get('auth')?.recordConsumerCalls ?? byRpc([...running.keys()], mesh);
      return audit;
    },
  };
}

function byRpc(words: readonly string[], mesh: Pick<MeshNode, 'as'>): RecordConsumerCalls {
  const served = words.filter((word) => word !== 'gateway');
  const clients = new Map(served.map((word) => [word, mesh.as(word).client(AuthService)]));
  return async (service, calls) => {
    await clients.get(service)?.recordConsumerCalls({ service, calls: [...calls] }, { timeoutMs });
  };
}
