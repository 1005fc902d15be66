import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';
import { checkApiBase } from './api-base.ts';

const check = (text: string, ...allow: string[]) => checkApiBase(text, createAddressPolicy(allow));

describe('the base address of an API', () => {
  test('is public and https, and loses its last slash', () => {
    expect(check('https://api.openai.com/v1/')).toBe('https://api.openai.com/v1');
    expect(check('https://8.8.8.8:8443')).toBe('https://8.8.8.8:8443');
  });

  const refused = [
    'http://127.0.0.1/v1',
    'https://127.0.0.1/v1',
    'https://127.1',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0x7f000001',
    'https://017700000001',
    'https://0.0.0.0',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://１２７.０.０.１',
    'https://localhost',
    'https://LOCALHOST.',
    'https://a.localhost',
    'https://10.0.0.1',
    'https://192.168.1.1',
    'https://172.16.0.1',
    'https://100.64.0.1',
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16',
    'https://metadata.google.internal',
    'https://keys:9106',
    'https://postgres',
    'https://db.svc',
    'https://mesh.default.svc.cluster.local',
    'https://printer.local',
    'https://nas.home.arpa',
  ];
  test.each(refused)('%s is refused', (address) => {
    expect(() => check(address)).toThrow(/may not be reached|must begin with https/);
  });

  test.each([
    '',
    ' ',
    'api.openai.com',
    'ftp://api.openai.com',
    'javascript:alert(1)',
    'https://user:pass@api.openai.com',
    'https://api.openai.com/?a=1',
    'https://api.openai.com/#a',
    'https://api.openai.com/?',
    'https://api.openai.com/\n',
    'https://api.openai.com/ v1',
    `https://api.openai.com/${'x'.repeat(2_000)}`,
    'http://api.openai.com/v1',
  ])('"%s" is not one', (address) => {
    expect(() => check(address)).toThrow(expect.objectContaining({ reason: 'address_invalid' }));
  });

  test.each([
    ['http://127.0.0.1:11434/v1', '127.0.0.1/32'],
    ['http://localhost:11434/v1', '127.0.0.0/8'],
    ['http://localhost:11434/v1', 'localhost'],
    ['http://ollama:11434/v1', 'ollama'],
    ['https://10.1.2.3/v1', '10.0.0.0/8'],
    ['http://gpu.corp/v1', 'gpu.corp'],
  ])('%s is allowed by the setting %s', (address, allow) => {
    expect(check(address, allow)).toBe(address);
  });

  test('the setting opens no metadata server', () => {
    const open = ['0.0.0.0/0', '::/0', 'metadata.google.internal', '169.254.169.254'];
    for (const address of ['http://169.254.169.254', 'http://metadata.google.internal', 'http://[::a9fe:a9fe]']) {
      expect(() => check(address, ...open)).toThrow('may not be reached');
    }
  });
});
