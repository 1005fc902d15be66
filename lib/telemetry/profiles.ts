import type { ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';

const defaultSeconds = 10;
const mostSeconds = 120;

let busy = false;

/** `/debug/heap` answers a heap snapshot, and `/debug/cpu?seconds=10` a CPU profile of that time, for Chrome's developer tools. One at a time: 409 beside another. */
export const profileRoutes = { '/debug/heap': alone(sendHeap), '/debug/cpu': alone(sendCpu) };

type Send = (response: ServerResponse, query: URLSearchParams) => Promise<void>;

function alone(send: Send): Send {
  return async (response, query) => {
    if (busy) return void response.writeHead(409).end('another profile is being taken\n');
    busy = true;
    try {
      await send(response, query);
    } finally {
      busy = false;
    }
  };
}

/** The process stands still while the snapshot is taken, for a second for each 100 MB or so. */
async function sendHeap(response: ServerResponse): Promise<void> {
  response.writeHead(200, headersOf('agent-mesh.heapsnapshot'));
  await pipeline(getHeapSnapshot(), response);
}

async function sendCpu(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const seconds = Number(query.get('seconds') ?? defaultSeconds);
  if (!(seconds > 0 && seconds <= mostSeconds)) {
    return void response.writeHead(400).end(`seconds must be from 1 to ${mostSeconds}\n`);
  }
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(seconds * 1_000);
    const { profile } = await session.post('Profiler.stop');
    response.writeHead(200, headersOf('agent-mesh.cpuprofile')).end(JSON.stringify(profile));
  } finally {
    session.disconnect();
  }
}

function headersOf(file: string) {
  return { 'content-type': 'application/json', 'content-disposition': `attachment; filename="${file}"` };
}
