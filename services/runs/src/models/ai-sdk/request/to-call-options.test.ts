import { FunctionCallingConfigMode, type GenerateContentConfig, Type } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { connectModel } from '../../connect-model.ts';
import { toCallOptions } from './to-call-options.ts';

const { dialect } = await connectModel({ provider: 'openai', model: 'x' }, { baseUrl: 'http://127.0.0.1:1' });
const optionsOf = (config: GenerateContentConfig) =>
  toCallOptions(
    { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], config, toolsDict: {}, liveConnectConfig: {} },
    { ...dialect, options: () => ({}) },
  );

describe('a request of ADK', () => {
  test('without settings is only a prompt', () => {
    expect(optionsOf({})).toEqual({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] });
  });

  test('keeps its settings, zero included', () => {
    const settings = { temperature: 0, topP: 0.9, topK: 5, maxOutputTokens: 99, stopSequences: ['END'], seed: 7 };
    expect(optionsOf(settings)).toMatchObject(settings);
    expect(optionsOf({ responseMimeType: 'application/json' }).responseFormat).toEqual({ type: 'json' });
  });

  test('joins an instruction in parts', () => {
    const { prompt } = optionsOf({ systemInstruction: { parts: [{ text: 'Be kind.' }, { text: 'Be short.' }] } });
    expect(prompt[0]).toEqual({ role: 'system', content: 'Be kind.\n\nBe short.' });
  });

  test('declares its tools in JSON Schema', () => {
    const sku = { type: Type.STRING, nullable: true, maxLength: '9', enum: ['a'] };
    const tags = { type: Type.ARRAY, items: { anyOf: [{ type: Type.NUMBER }, { type: Type.BOOLEAN }] } };
    const parameters = { type: Type.OBJECT, properties: { sku, tags }, required: ['sku'], propertyOrdering: ['sku'] };
    const functionDeclarations = [{ name: 'lookup', description: 'looks up', parameters }, { name: 'bare' }];
    expect(optionsOf({ tools: [{ functionDeclarations }] }).tools).toEqual([
      {
        type: 'function',
        name: 'lookup',
        description: 'looks up',
        inputSchema: {
          type: 'object',
          properties: {
            sku: { type: ['string', 'null'], maxLength: 9, enum: ['a', null] },
            tags: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'boolean' }] } },
          },
          required: ['sku'],
        },
      },
      { type: 'function', name: 'bare', inputSchema: { type: 'object', properties: {} } },
    ]);
  });

  test('has the tool choice of the request', () => {
    const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }];
    const choiceOf = (mode: FunctionCallingConfigMode, allowedFunctionNames: string[] = []) =>
      optionsOf({ tools, toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } } }).toolChoice;
    expect(choiceOf(FunctionCallingConfigMode.AUTO)).toBeUndefined();
    expect(choiceOf(FunctionCallingConfigMode.NONE)).toEqual({ type: 'none' });
    expect(choiceOf(FunctionCallingConfigMode.ANY)).toEqual({ type: 'required' });
    expect(choiceOf(FunctionCallingConfigMode.ANY, ['b'])).toEqual({ type: 'tool', toolName: 'b' });
  });
});
