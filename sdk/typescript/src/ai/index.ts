export { MeshChatTransport, type MeshChatOptions } from './chat-transport.ts';
