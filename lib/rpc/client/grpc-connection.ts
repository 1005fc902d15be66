import { type ChannelCredentials, type ChannelOptions, Client, credentials, experimental } from '@grpc/grpc-js';
import { certificateProvider, CONNECTION_OPTIONS } from '../wire/index.ts';
import type { MeshTls } from '../call/index.ts';

const CLIENT_OPTIONS: ChannelOptions = {
  ...CONNECTION_OPTIONS,
  // A service that restarts is found again within half a second, not two minutes.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
  // Services reach each other directly: a proxy of the environment is not used.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
  // Callers decide which calls are repeated.
  'grpc.enable_retries': 0,
  // Keeps no messages to send them again: one counts as written when it is, see MessageSender.
  'grpc.per_rpc_retry_buffer_size': 0,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

export interface ConnectionOptions {
  /** `http://host:port`, `https://host:port`, `host:port` or `dns:///host:port`; all addresses of a name share the calls. */
  url: string;
  tls?: MeshTls | undefined;
}

/** A connection that is made at the first call and made again when it breaks. */
export function openConnection({ url, tls }: ConnectionOptions): Client {
  const [, scheme, address = url] = /^(https?):\/\/([^/]+)\/?$/.exec(url) ?? [];
  return new Client(address, channelCredentials(scheme, tls), CLIENT_OPTIONS);
}

function channelCredentials(scheme: string | undefined, tls: MeshTls | undefined): ChannelCredentials {
  if (tls) {
    const provider = certificateProvider(tls);
    return experimental.createCertificateProviderChannelCredentials(provider, provider);
  }
  return scheme === 'https' ? credentials.createSsl() : credentials.createInsecure();
}
