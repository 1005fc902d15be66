import type { ChannelOptions } from '@grpc/grpc-js';

export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Options of both ends of a connection: messages up to 64 MiB, and a ping every 20 s that detects dead peers. */
export const CONNECTION_OPTIONS: ChannelOptions = {
  // channelz is not used. A window of 1 MiB saves window updates for large answers.
  'grpc.enable_channelz': 0,
  'grpc-node.flow_control_window': 1024 * 1024,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
};
