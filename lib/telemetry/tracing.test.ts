import { describe, expect, it } from 'vitest';
import { startServerSpan, startTracing } from './index.ts';

describe('startTracing', () => {
  it('starts nothing unless an exporter is configured', async () => {
    expect(await startTracing({ serviceName: 'auth', env: {} })).toBeUndefined();
    expect(await startTracing({ serviceName: 'auth', env: { OTEL_TRACES_EXPORTER: 'none' } })).toBeUndefined();
    expect(startServerSpan({ name: 'auth/SignIn' }, undefined)).toBeUndefined();
  });
});
