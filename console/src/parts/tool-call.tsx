import { Icon } from '../kit/icon.tsx';
import { Json } from '../kit/json.tsx';
import { t } from '../texts.ts';
import type { FunctionCall, FunctionResponse } from './turns.ts';

/** A call of a tool, folded. */
export function ToolCall({
  call,
  response,
  isUnapproved,
}: {
  readonly call: FunctionCall;
  readonly response: FunctionResponse | undefined;
  /** It waits for somebody to say whether it may be made. */
  readonly isUnapproved: boolean;
}) {
  const hasFailed = response?.response?.['error'] !== undefined;
  const [tone, state] = isUnapproved ? ['warn', t.asked.approval] : ['busy', t.tools.calling];
  return (
    <details class="tool">
      <summary>
        <Icon name="tool" />
        <code>{call.name}</code>
        <span class="muted clip grow">{summaryOf(call)}</span>
        <span class={`small toned ${hasFailed ? 'bad' : response ? 'good' : tone}`}>
          {response === undefined ? state : hasFailed ? t.runStatus.failed : <Icon name="check" />}
        </span>
      </summary>
      <div class="stack tight">
        <h3>{t.tools.arguments}</h3>
        <Json value={call.args ?? {}} />
        {response && <h3>{t.tools.result}</h3>}
        {response && <Json value={response.response ?? {}} />}
      </div>
    </details>
  );
}

function summaryOf({ args }: FunctionCall): string {
  const shown = Object.entries(args ?? {}).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return shown.join(', ').slice(0, 160);
}
