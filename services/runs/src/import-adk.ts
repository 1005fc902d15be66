/** The parts that import ADK, which from its sources takes 1.5 s and 117 MB: a process that only reads the service's settings does without. */
export async function importAdk() {
  const [
    { createCompactor },
    { createAgentHandlers },
    { createExecutor },
    { createModelUse },
    { openApps },
    { quietAdk },
  ] = await Promise.all([
    import('./execution/compaction/compactor.ts'),
    import('./rpc/agents/index.ts'),
    import('./execution/attempt/executor.ts'),
    import('./models/index.ts'),
    import('./apps/registry/open-apps.ts'),
    import('./apps/registry/quiet-adk.ts'),
  ]);
  return { createCompactor, createAgentHandlers, createExecutor, createModelUse, openApps, quietAdk };
}

export type Adk = Awaited<ReturnType<typeof importAdk>>;
