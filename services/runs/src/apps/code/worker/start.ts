import { startSpanWatching } from '@agentmesh/lib/spans';
import { tracedFlag } from '../protocol.ts';

// ADK gets its tracer when it is imported.
if (process.argv.includes(tracedFlag)) startSpanWatching();
await import('./main.ts');
