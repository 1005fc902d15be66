import type { RemoteAgentDeps, RemoteLinkSpec } from './remote-exchange.ts';
import type { RemoteLink } from './remote-link.ts';

/** Reaches a remote agent from this process by the Agent2Agent protocol, whose library is loaded with the first message. */
export function openRemoteLink(spec: RemoteLinkSpec, deps: RemoteAgentDeps): RemoteLink {
  return {
    async *ask(ask) {
      const { RemoteExchange } = await import('./remote-exchange.ts');
      yield* new RemoteExchange(spec, deps, ask).replies();
    },
  };
}
