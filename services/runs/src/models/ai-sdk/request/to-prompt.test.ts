import type { Content, Part } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { connectModel } from '../../connect-model.ts';
import { toPrompt } from './to-prompt.ts';

const { dialect } = await connectModel({ provider: 'openai', model: 'x' }, { baseUrl: 'http://127.0.0.1:1' });
const said = (...parts: Part[]) => toPrompt([{ role: 'user', parts }], dialect)[0]?.content;

describe('a prompt', () => {
  test('carries files in the standard base64 alphabet', () => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: '+/8=' } };
    expect(said({ inlineData: { mimeType: 'image/png', data: '-_8=' } })).toEqual([file]);
  });

  test('links to images on the web, and names other files', () => {
    const image = { fileData: { fileUri: 'https://x.example/a.png', mimeType: 'image/png' } };
    expect(said(image)).toMatchObject([{ type: 'file', data: { type: 'url' } }]);
    const other = { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } };
    expect(said(other)).toEqual([{ type: 'text', text: '[file: gs://bucket/a.pdf]' }]);
  });

  test('has an answer as text when its call is not in the window', () => {
    const functionResponse = { id: 'lost', name: 'lookup', response: { r: 1 } };
    expect(said({ functionResponse })).toEqual([{ type: 'text', text: 'lookup answered: {"r":1}' }]);
  });

  const image = { type: 'image', data: '-_8', mimeType: 'image/png' };
  const content = [{ type: 'text', text: 'here' }, image, { type: 'image', data: 7 }];
  const shown: Content[] = [
    { role: 'model', parts: [{ functionCall: { name: 'draw' } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'draw', response: { content } } }] },
  ];
  const rest = { content: [content[0], { type: 'image', mimeType: 'image/png' }, content[2]] };
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: '+/8=' } };

  test('has images of an answer as images behind it, where the vendor takes none in it', () => {
    expect(toPrompt(shown, dialect).slice(1)).toMatchObject([
      { role: 'tool', content: [{ output: { type: 'json', value: rest } }] },
      { role: 'user', content: [file] },
    ]);
  });

  test.each(['anthropic', 'gemini'] as const)('has images of an answer in it, for %s', async (provider) => {
    const other = await connectModel({ provider, model: 'x' }, { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
    const value = [{ type: 'text', text: JSON.stringify(rest) }, file];
    const prompt = toPrompt(shown, other.dialect);
    expect(prompt.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { type: 'content', value } }] });
  });

  test('leaves out empty parts', () => {
    const contents = [
      { role: 'user', parts: [{ text: '' }, { text: ' \n' }, { text: 'of another', thought: true }] },
      { role: 'model', parts: [{ text: 'musing', thought: true }] },
      { role: 'model' },
    ];
    const nudge = { role: 'user', content: [{ type: 'text', text: 'Continue.' }] };
    expect(toPrompt(contents, dialect)).toEqual([nudge]);
  });

  test('answers a call at the end of the conversation', () => {
    const [assistant, tool] = toPrompt([{ role: 'model', parts: [{ functionCall: { name: 'lookup' } }] }], dialect);
    expect(assistant).toMatchObject({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1' }] });
    expect(tool).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'call_1', output: { value: { status: 'pending' } } }],
    });
  });
});
