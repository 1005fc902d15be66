import type { LlmRequest, LlmResponse } from '@google/adk/core';
import type { Content } from '@google/genai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSetState } from '../../apps/tools/set-state.ts';
import { EchoLlm } from './echo-llm.ts';
import { parseDirectives } from './parse-directives.ts';
import { splitWords } from './words.ts';

const model = new EchoLlm({ model: 'echo/echo' });

function requestOf(contents: Content[]): LlmRequest {
  return { contents, toolsDict: { set_state: createSetState(), lookup: createSetState() }, liveConnectConfig: {} };
}

function user(...texts: string[]): Content {
  return { role: 'user', parts: texts.map((text) => ({ text })) };
}

function answered(name: string, response: Record<string, unknown>): Content[] {
  return [
    { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name, response } }] },
  ];
}

async function ask(
  contents: Content[],
  options: { stream?: boolean; signal?: AbortSignal } = {},
): Promise<LlmResponse[]> {
  return Array.fromAsync(model.generateContentAsync(requestOf(contents), options.stream ?? false, options.signal));
}

const textOf = (response: LlmResponse | undefined): string | undefined => response?.content?.parts?.[0]?.text;

describe('echo', () => {
  test('one response repeats the last user message', async () => {
    const responses = await ask([user('first'), { role: 'model', parts: [{ text: 'first' }] }, user('last ', 'one')]);
    expect(responses).toEqual([
      {
        content: { role: 'model', parts: [{ text: 'last one' }] },
        finishReason: 'STOP',
        modelVersion: 'echo',
        usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 2, totalTokenCount: 4 },
      },
    ]);
  });

  test('a stream is the words, then the whole', async () => {
    const responses = await ask([user('one two three')], { stream: true });
    expect(responses.map((response) => [textOf(response), response.partial])).toEqual([
      ['one ', true],
      ['two ', true],
      ['three', true],
      ['one two three', false],
    ]);
    const { finishReason, usageMetadata } = responses[3] ?? {};
    expect(responses[2]).toMatchObject({ finishReason, usageMetadata });
    expect(responses[1]).not.toHaveProperty('finishReason');
  });

  test('a tool directive calls the tool, and its response is repeated with the remaining text', async () => {
    const message = user('[[tool:lookup {"sku": [["A]]"]]}]] thanks');
    const [call] = await ask([message]);
    expect(call?.content?.parts).toEqual([{ functionCall: { name: 'lookup', args: { sku: [['A]]']] } } }]);
    const [said] = await ask([message, ...answered('lookup', { count: 3 })]);
    expect(textOf(said)).toBe('thanks\nlookup: {"count":3}');
  });

  test('several directives act in order, one per call, and none twice', async () => {
    const message = user('[[state:a=1]][[tool:lookup]] x');
    expect((await ask([message]))[0]?.content?.parts?.[0]?.functionCall).toEqual({
      name: 'set_state',
      args: { key: 'a', value: '1' },
    });
    const second = [message, ...answered('set_state', { key: 'a', value: '1' })];
    expect((await ask(second))[0]?.content?.parts?.[0]?.functionCall?.name).toBe('lookup');
    expect(textOf((await ask([...second, ...answered('lookup', {})]))[0])).toBe('x\nlookup: {}');
  });

  test('directives that another agent has executed for the message are not executed again', async () => {
    const retold = user('For context:', '[a] tool `lookup` returned result: {}');
    expect(textOf((await ask([user('[[tool:lookup]] hi'), retold]))[0])).toBe('hi');
  });

  test('fail is a model error, even after text has been streamed', async () => {
    const responses = await ask([user('one [[fail:no luck]]')], { stream: true });
    expect(responses.at(-1)).toEqual({ errorCode: 'ECHO_FAIL', errorMessage: 'no luck', modelVersion: 'echo' });
    expect(textOf(responses[0])).toBe('one ');
  });

  test('an agent without the tool answers with an error', async () => {
    const [response] = await ask([user('[[artifact:a.txt hello]]')]);
    expect(response).toMatchObject({
      errorCode: 'ECHO_TOOL_UNKNOWN',
      errorMessage: 'The agent has no tool "save_artifact".',
    });
  });

  test('a wait ends with the abort and says nothing', async () => {
    const controller = new AbortController();
    const responses = ask([user('[[wait:60000]] late')], { signal: controller.signal });
    controller.abort();
    expect(await responses).toEqual([]);
  });

  test.each([
    '[[tool:lookup {"a":]]',
    '[[tool:lookup [1]]]',
    '[[tool:]]',
    '[[artifact:]]',
    '[[state:x]]',
    '[[wait:soon]]',
  ])('the unreadable directive %s is answered with text', async (text) => {
    expect(textOf((await ask([user(text)]))[0])).toContain('cannot be read');
  });

  test('a conversation without a message is answered', async () => {
    expect(textOf((await ask([]))[0])).toBe('(nothing to say)');
  });
});

describe('parseDirectives', () => {
  const known = /\[\[(tool|artifact|state|fail|wait):/;
  const pieces = fc.constantFrom(
    '[[',
    ']]',
    '{',
    '}',
    '"',
    '\\',
    ' ',
    'tool:',
    'state:',
    'wait:',
    'fail:',
    'a=b',
    'x',
    '9',
  );
  const message = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
  );

  test('text without a known directive stays verbatim', () => {
    fc.assert(
      fc.property(message, (text) => {
        fc.pre(!known.test(text));
        expect(
          parseDirectives(text)
            .map((step) => step.kind === 'text' && step.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  test('no message makes it throw', () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(parseDirectives(text)).toBeInstanceOf(Array);
      }),
      { numRuns: 500 },
    );
  });

  test('a hostile message of a megabyte takes no longer than a moment', () => {
    const started = performance.now();
    parseDirectives(`${'[[tool:x {'.repeat(100_000)}]]`);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('the pieces of a stream joined are the text', () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(splitWords(text).join('')).toBe(text);
      }),
    );
  });
});
