export { createMeshClient } from './mesh-client.ts';
export { RoutingTransport } from './routing-transport.ts';
