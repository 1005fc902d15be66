import { describe, expect, it, test } from 'vitest';
import { Event } from '../../src/edge/records/event.ts';
import { GroundingMetadata } from '../../src/edge/records/grounding.ts';
import { UserPath } from '../../src/edge/records/path.ts';
import { type Issue, type Place, requestCheck } from '../../src/edge/validation/index.ts';
import { ListAppsQuery } from '../../src/runs/app-record.ts';
import { runAgentRequest } from '../../src/runs/run-record.ts';
import { CreateSessionRequest, PatchSessionRequest } from '../../src/sessions/session-record.ts';

const Run = runAgentRequest(undefined);
const ids = { userId: 'u', sessionId: 's', appName: 'a' };
const message = { role: 'user', parts: [{ text: 'hi' }] };

function issuesOf(schema: object, input: unknown, place: Place = 'body'): readonly Issue[] {
  const outcome = requestCheck(schema, place)(input);
  return 'issues' in outcome ? outcome.issues : [];
}

function valueOf(schema: object, input: unknown): unknown {
  const outcome = requestCheck(schema, 'body')(input);
  return 'issues' in outcome ? outcome : outcome.value;
}

const object = 'Input should be a valid dictionary or object to extract fields from';
const run = (changes: object) => ({ ...ids, newMessage: message, ...changes });
const part = (value: unknown) => run({ newMessage: { parts: [value] } });

describe('every row of the 422 table is answered as the reference does', () => {
  const rows: [string, object, unknown, Issue][] = [
    ['no body', Run, null, { type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ['an array as body', Run, [], { type: 'model_attributes_type', loc: ['body'], msg: object, input: [] }],
    ['a string as body', Run, 'x', { type: 'model_attributes_type', loc: ['body'], msg: object, input: 'x' }],
    [
      'a number for a string',
      Run,
      run({ userId: 5 }),
      { type: 'string_type', loc: ['body', 'userId'], msg: 'Input should be a valid string', input: 5 },
    ],
    [
      'null for a string',
      Run,
      run({ userId: null }),
      { type: 'string_type', loc: ['body', 'userId'], msg: 'Input should be a valid string', input: null },
    ],
    [
      'bad boolean text',
      Run,
      run({ streaming: 'maybe' }),
      {
        type: 'bool_parsing',
        loc: ['body', 'streaming'],
        msg: 'Input should be a valid boolean, unable to interpret input',
        input: 'maybe',
      },
    ],
    [
      'null for a boolean',
      Run,
      run({ streaming: null }),
      { type: 'bool_type', loc: ['body', 'streaming'], msg: 'Input should be a valid boolean', input: null },
    ],
    [
      'an array for a map',
      Run,
      run({ state_delta: [] }),
      { type: 'dict_type', loc: ['body', 'stateDelta'], msg: 'Input should be a valid dictionary', input: [] },
    ],
    [
      'a string for parts',
      Run,
      run({ newMessage: { parts: 'x' } }),
      { type: 'list_type', loc: ['body', 'newMessage', 'parts'], msg: 'Input should be a valid list', input: 'x' },
    ],
    [
      'a string inside parts',
      Run,
      part('x'),
      { type: 'model_attributes_type', loc: ['body', 'newMessage', 'parts', 0], msg: object, input: 'x' },
    ],
    [
      'an unknown key in a file of a part',
      Run,
      part({ inlineData: { foo: 1 } }),
      {
        type: 'extra_forbidden',
        loc: ['body', 'newMessage', 'parts', 0, 'inlineData', 'foo'],
        msg: 'Extra inputs are not permitted',
        input: 1,
      },
    ],
    [
      'bad base64',
      Run,
      part({ inlineData: { data: '!!!!' } }),
      {
        type: 'bytes_invalid_encoding',
        loc: ['body', 'newMessage', 'parts', 0, 'inlineData', 'data'],
        msg: 'Data should be valid base64: Invalid symbol 33, offset 0.',
        input: '!!!!',
        ctx: { encoding: 'base64', encoding_error: 'Invalid symbol 33, offset 0.' },
      },
    ],
    [
      'text for a number',
      CreateSessionRequest,
      { events: [{ author: 'user', timestamp: 'soon' }] },
      {
        type: 'float_parsing',
        loc: ['body', 'events', 0, 'timestamp'],
        msg: 'Input should be a valid number, unable to parse string as a number',
        input: 'soon',
      },
    ],
    [
      'a role that is no text',
      Run,
      run({ newMessage: { role: 1, parts: [] } }),
      { type: 'string_type', loc: ['body', 'newMessage', 'role'], msg: 'Input should be a valid string', input: 1 },
    ],
    [
      'a role that nobody has',
      Run,
      run({ newMessage: { role: 'system', parts: [] } }),
      {
        type: 'literal_error',
        loc: ['body', 'newMessage', 'role'],
        msg: "Input should be 'user' or 'model'",
        input: 'system',
        ctx: { expected: "'user' or 'model'" },
      },
    ],
    [
      'a NUL in an id',
      Run,
      run({ sessionId: 'a\0b' }),
      {
        type: 'value_error',
        loc: ['body', 'sessionId'],
        msg: 'Value error, text must not contain NUL characters',
        input: 'a\0b',
        ctx: { error: 'text must not contain NUL characters' },
      },
    ],
    [
      'null for a required map',
      PatchSessionRequest,
      { stateDelta: null },
      { type: 'dict_type', loc: ['body', 'stateDelta'], msg: 'Input should be a valid dictionary', input: null },
    ],
  ];
  test.each(rows)('%s', (_, schema, input, expected) => {
    expect(issuesOf(schema, input)).toEqual([expected]);
    expect(Object.keys(issuesOf(schema, input)[0] ?? {})).toEqual(Object.keys(expected));
  });

  it('reads a bad query flag', () => {
    expect(issuesOf(ListAppsQuery, { detailed: '' }, 'query')).toMatchObject([
      { type: 'bool_parsing', loc: ['query', 'detailed'], input: '' },
    ]);
  });

  it('refuses a NUL in a path', () => {
    expect(issuesOf(UserPath, { app_name: 'a', user_id: '\0' }, 'path')).toMatchObject([{ loc: ['path', 'user_id'] }]);
  });
});

describe('a request', () => {
  it('lists all its mistakes in the order of the fields, under their camelCase names', () => {
    const body = { user_id: 1, streaming: 'x', new_message: { role: 'x', bar: 1, parts: [{ text: 1 }] } };
    expect(issuesOf(Run, body).map((issue) => issue.loc.slice(1).join('.'))).toEqual([
      'userId',
      'sessionId',
      'appName',
      'newMessage.parts.0.text',
      'newMessage.role',
      'newMessage.bar',
      'streaming',
    ]);
  });

  it('shows the whole parent as the input of a missing field', () => {
    const { sessionId: _, ...rest } = run({});
    expect(issuesOf(Run, rest)).toEqual([
      { type: 'missing', loc: ['body', 'sessionId'], msg: 'Field required', input: rest },
    ]);
  });

  it('needs an application, and a message or an invocation; an empty text counts as missing', () => {
    const missing = (input: object) => issuesOf(Run, input).map((issue) => `${issue.type} ${issue.loc[1]}`);
    expect(missing({ ...ids })).toEqual(['missing newMessage']);
    expect(missing({ ...ids, newMessage: null, invocationId: '' })).toEqual(['missing newMessage']);
    expect(missing({ ...ids, invocation_id: 'e-1' })).toEqual([]);
    expect(missing(run({ appName: '' }))).toEqual(['missing appName']);
    expect(issuesOf(runAgentRequest('shop'), { userId: 'u', sessionId: 's', newMessage: message })).toEqual([]);
  });

  it('may use snake_case keys; camelCase takes precedence, unknown keys are ignored', () => {
    const body = { user_id: 'no', userId: 'u', session_id: 's', app_name: 'a', new_message: message, extra: 1 };
    expect(valueOf(Run, body)).toEqual({ ...ids, newMessage: message, streaming: false });
  });

  it.each([1, 'YES', 'true', 'on', true])('takes %s for true', (streaming) => {
    expect(valueOf(Run, run({ streaming }))).toMatchObject({ streaming: true });
  });

  it('keeps free-form maps unchanged, and treats __proto__ as data', () => {
    const delta = JSON.parse('{"a_b":null,"__proto__":{"polluted":1},"constructor":2}') as Record<string, unknown>;
    const value = valueOf(Run, run({ stateDelta: delta })) as { stateDelta: object };
    expect(JSON.stringify(value.stateDelta)).toBe(JSON.stringify(delta));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses a NUL and a lone surrogate in a state key', () => {
    expect(issuesOf(PatchSessionRequest, { stateDelta: { 'a\0': 1 } })).toMatchObject([{ type: 'value_error' }]);
    expect(issuesOf(PatchSessionRequest, { stateDelta: { 'a\ud800': 1 } })).toMatchObject([{ type: 'string_unicode' }]);
  });

  it('reports at most a thousand mistakes', () => {
    const parts = Array.from({ length: 5000 }, () => 1);
    expect(issuesOf(Run, run({ newMessage: { parts } }))).toHaveLength(1000);
  });
});

describe('an event', () => {
  it('keeps unknown keys, renames known ones and drops null fields', () => {
    const event = {
      author: 'user',
      invocation_id: 'e-1',
      timestamp: '12.5',
      finish_reason: 'stop',
      partial: null,
      future_field: { deep_er: null },
      actions: { state_delta: { k_1: null } },
      usageMetadata: { trafficType: 'on_demand', promptTokenCount: '7', new_count: 1 },
      __proto_: 1,
    };
    expect(valueOf(Event, event)).toEqual({
      author: 'user',
      invocationId: 'e-1',
      timestamp: 12.5,
      finishReason: 'STOP',
      usageMetadata: { promptTokenCount: 7, trafficType: 'ON_DEMAND', new_count: 1 },
      actions: { stateDelta: { k_1: null } },
      future_field: { deep_er: null },
      __proto_: 1,
    });
  });

  it('accepts unknown enum members', () => {
    expect(valueOf(Event, { author: 'a', finishReason: 'Brand_new' })).toEqual({
      author: 'a',
      finishReason: 'Brand_new',
    });
  });

  it('refuses unknown keys in its actions', () => {
    const actions = { other: 1, renderUiWidgets: [{ id: 'w', more: 2 }] };
    expect(issuesOf(Event, { author: 'a', actions })).toMatchObject([
      { type: 'extra_forbidden', loc: ['body', 'actions', 'renderUiWidgets', 0, 'more'] },
      { type: 'extra_forbidden', loc: ['body', 'actions', 'other'] },
    ]);
  });

  it('needs an author', () => {
    expect(issuesOf(Event, { id: 'x' })).toMatchObject([{ type: 'missing', loc: ['body', 'author'] }]);
  });
});

describe('grounding metadata', () => {
  it.each(['vendor', 'google'])('reads %s names and echoes them', (brand) => {
    const metadata = {
      groundingChunks: [{ maps: { placeAnswerSources: { reviewSnippets: [{ [`${brand}MapsUri`]: 'm' }] } } }],
      retrievalMetadata: { [`${brand}SearchDynamicRetrievalScore`]: 0.5 },
      [`${brand}MapsWidgetContextToken`]: 't',
    };
    expect(valueOf(GroundingMetadata, metadata)).toEqual(metadata);
  });

  it('refuses unknown keys at every depth', () => {
    const metadata = { foo: 1, groundingChunks: [{ web: { bar: 1 } }] };
    expect(issuesOf(GroundingMetadata, metadata).map((issue) => issue.loc.at(-1))).toEqual(['bar', 'foo']);
  });
});
