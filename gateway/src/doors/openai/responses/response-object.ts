import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { failureOf, finishReasonOf, usageOf } from '../run-end.ts';

const statuses: Readonly<Record<RunStatus, string>> = {
  [RunStatus.UNSPECIFIED]: 'in_progress',
  [RunStatus.QUEUED]: 'queued',
  [RunStatus.RUNNING]: 'in_progress',
  [RunStatus.WAITING]: 'completed',
  [RunStatus.COMPLETED]: 'completed',
  [RunStatus.FAILED]: 'failed',
  [RunStatus.CANCELLED]: 'cancelled',
  [RunStatus.INTERRUPTED]: 'cancelled',
};

const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' } as const;

/** Why a run is incomplete: its model came to a limit. */
function incompleteReasonOf(run: LedgerRun): string | undefined {
  const finish = finishReasonOf(run);
  return finish === 'length' || finish === 'content_filter' ? reasons[finish] : undefined;
}

/** OpenAI's word for the state of a run. A run that waits is complete: its calls are in the output. */
export function statusOf(run: LedgerRun): string {
  return incompleteReasonOf(run) === undefined ? statuses[run.status] : 'incomplete';
}

/** A run as OpenAI's response. */
export function responseOf(id: string, run: LedgerRun, output: readonly object[]) {
  const status = statusOf(run);
  const reason = incompleteReasonOf(run);
  const isOver = run.endTime > 0 && run.status !== RunStatus.QUEUED && run.status !== RunStatus.RUNNING;
  return {
    id,
    object: 'response',
    created_at: Math.floor(run.createTime),
    status,
    completed_at: isOver ? Math.floor(run.endTime) : null,
    error: status === 'failed' ? failureOf(run) : null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    metadata: metadataOf(run),
    model: run.appName,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    conversation: { id: run.sessionId },
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: isOver ? responseUsage(run) : null,
    user: run.userId,
  };
}

function metadataOf({ customMetadataJson: json }: LedgerRun): object {
  return json.length === 0 ? {} : (JSON.parse(Buffer.from(json).toString()) as object);
}

function responseUsage(run: LedgerRun) {
  const { input, output, total, reasoning, cached } = usageOf(run);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: total,
  };
}
