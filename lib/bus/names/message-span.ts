/** The name and the attributes of a span about a message, by the conventions of OpenTelemetry for messaging. */
export function messageSpan(operation: 'send' | 'process', subject: string) {
  const attributes = {
    'messaging.system': 'agentmesh',
    'messaging.destination.name': subject,
    'messaging.operation.type': operation,
  };
  return { name: `${operation} ${subject}`, attributes };
}
