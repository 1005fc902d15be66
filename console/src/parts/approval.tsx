import type { SessionName } from '@agentmesh/client';
import { sessionKey } from '../data/session-record.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Field } from '../kit/field.tsx';
import { Json } from '../kit/json.tsx';
import { t } from '../texts.ts';
import { confirmation, type FunctionResponse } from './turns.ts';
import { useTypedAnswer } from './typed-answers.ts';

export interface AskedCall {
  readonly name?: string | null | undefined;
  readonly args?: Readonly<Record<string, unknown>> | null | undefined;
}

type Response = Readonly<Record<string, unknown>>;

interface AskedProps {
  readonly place: SessionName;
  readonly id: string;
  readonly call: AskedCall;
  readonly answer: (response: Response) => unknown;
  /** The answer that was given before. */
  readonly response?: FunctionResponse | undefined;
}

interface Confirmation {
  readonly originalFunctionCall?: { readonly name?: string; readonly args?: Record<string, unknown> };
  readonly toolConfirmation?: { readonly hint?: string };
}

/** ADK's own hint is for programs. */
const hintOfAdk = /^Please approve or reject the tool call/;

/** A call that a person approves, or whose result a person gives. Calls of a copy of its session have the same ids. */
export function Asked({ place, id, ...rest }: AskedProps) {
  const key = `${sessionKey(place)}:${id}`;
  return <OneAsked key={key} typedAs={key} {...rest} />;
}

function OneAsked({ typedAs, answer, ...rest }: Omit<AskedProps, 'place' | 'id'> & { readonly typedAs: string }) {
  const [text, type] = useTypedAnswer(typedAs);
  const given = async (response: Response): Promise<void> => {
    await answer(response);
    type('');
  };
  const Kind = rest.call.name === confirmation ? Approval : Question;
  return <Kind {...rest} answer={given} text={text} type={type} />;
}

interface OneAskedProps extends Omit<AskedProps, 'place' | 'id'> {
  readonly text: string;
  readonly type: (text: string) => void;
}

function Approval({ call, response, answer, text, type }: OneAskedProps) {
  const { originalFunctionCall: wanted, toolConfirmation } = (call.args ?? {}) as Confirmation;
  const say = (confirmed: boolean) => answer({ confirmed, ...(text !== '' && { payload: { note: text } }) });
  return (
    <section class="asked card pad stack tight">
      <div class="row">
        <span class="grow">
          <code>{wanted?.name}</code> {t.asked.approval}
        </span>
        {response && <Verdict response={response} />}
      </div>
      {toolConfirmation?.hint && !hintOfAdk.test(toolConfirmation.hint) && <p class="muted">{toolConfirmation.hint}</p>}
      <Json value={wanted?.args ?? {}} />
      {response === undefined && (
        <>
          <Field label={t.asked.note} name="note" value={text} onChange={type} />
          <div class="row verdict">
            <Button kind="first" icon="check" onPress={() => say(true)}>
              {t.actions.approve}
            </Button>
            <Button kind="danger" icon="close" onPress={() => say(false)}>
              {t.actions.reject}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function Verdict({ response: { response } }: { readonly response: FunctionResponse }) {
  const isApproved = response?.['confirmed'] === true;
  return <Badge tone={isApproved ? 'good' : 'bad'}>{isApproved ? t.asked.approved : t.asked.rejected}</Badge>;
}

function Question({ call, answer, text, type }: OneAskedProps) {
  const { message, options, ...rest } = call.args ?? {};
  const choices = isTexts(options) ? options : undefined;
  const others = { ...rest, ...(!isText(message) && { message }), ...(!choices && { options }) };
  return (
    <section class="asked card pad stack tight">
      <span>
        <code>{call.name}</code> {t.asked.input}
      </span>
      {isText(message) && <p class="question">{message}</p>}
      {Object.values(others).some((value) => value !== undefined) && <Json value={others} />}
      {choices && <Choices choices={choices} answer={answer} />}
      <Field
        label={choices ? t.asked.otherAnswer : t.asked.answer}
        name="answer"
        rows={2}
        hint={t.asked.answerHint}
        value={text}
        onChange={type}
      />
      <div class="row">
        <Button
          kind={choices ? undefined : 'first'}
          isOff={text.trim() === ''}
          onPress={() => answer(responseOf(text))}
        >
          {t.asked.send}
        </Button>
      </div>
    </section>
  );
}

interface ChoicesProps extends Pick<AskedProps, 'answer'> {
  readonly choices: readonly string[];
}

/** The choices that a tool offers, such as `get_user_choice`. */
function Choices({ choices, answer }: ChoicesProps) {
  return (
    <div class="row choices">
      {choices.map((choice) => (
        <Button key={choice} onPress={() => answer({ result: choice })}>
          {choice}
        </Button>
      ))}
    </div>
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** An answer as the response of a call: an object of JSON as it is, everything else as its result. */
function responseOf(text: string): Response {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Response;
    return { result: value };
  } catch {
    return { result: text };
  }
}
