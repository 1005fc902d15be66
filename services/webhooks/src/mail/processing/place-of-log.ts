/** The application and the session of the runs of a log. Ids of runs are unique in a session only. */
export function placeOfLog({ agent_id: agentId, id }: { readonly agent_id: number; readonly id: number }) {
  return { appName: `agent${agentId}`, sessionId: `webhook_${id}` };
}
