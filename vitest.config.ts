import { devNull } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { findProjectFiles, type ProjectName } from './test/setup/projects.ts'
import { SlowestFiles } from './test/setup/slowest-files.ts'

/** What is there before the tests of a project begin. */
const GLOBAL_SETUP: Record<ProjectName, string[]> = {
  unit: [],
  api: ['test/setup/pages.ts', 'test/setup/postgres.ts'],
  process: ['test/setup/build.ts', 'test/setup/postgres.ts'],
  browser: ['test/setup/build.ts', 'test/setup/postgres.ts'],
}

/** The sources of the packages, so that nothing has to be built before it is tested. */
const resolve = {
  alias: {
    'reward-campaigns-client': join(import.meta.dirname, 'packages/client/src/client.ts'),
    'reward-campaigns-conformance': join(import.meta.dirname, 'packages/conformance/src/conformance.ts'),
    'reward-campaigns-embedded-postgres': join(
      import.meta.dirname,
      'packages/embedded-postgres/src/embedded-postgres.ts',
    ),
    'reward-campaigns-example-requests': join(import.meta.dirname, 'packages/example-requests/src/request-files.ts'),
    'reward-campaigns-mcp': join(import.meta.dirname, 'packages/mcp/src/mcp.ts'),
    'reward-campaigns-sample-data': join(import.meta.dirname, 'packages/sample-data/src/sample-data.ts'),
    'reward-campaigns-strict-http': join(import.meta.dirname, 'packages/strict-http/src'),
  },
}

/** With `npm run screenshots`, any of them. */
const speedOf = (mode: string) => (mode === 'screenshots' ? undefined : mode === 'deep' ? 'deep' : 'usual')

export default defineConfig(({ mode }) => ({
  test: {
    reporters: ['default', new SlowestFiles()],
    // Each with all of its options: a project that extends this file would evaluate it once more, and find all files anew.
    projects: (['unit', 'api', 'process', 'browser'] as const).map((name) => ({
      resolve,
      test: {
        name,
        include: findProjectFiles(speedOf(mode))[name],
        globalSetup: GLOBAL_SETUP[name],
        // No test changes what others load, and loading the service takes each file more than a second.
        isolate: false,
        // Most of what a test makes is soon over: with more room it is collected less often. And little of the code runs so
        // often that compiling it for speed takes less time than it saves: without that, tests take a tenth less.
        execArgv: ['--max-semi-space-size=64', '--no-opt'],
        // No developer's `.env` changes what is tested.
        env: { ENV_FILE: devNull },
        // On a machine that is busy with something else too, all takes several times as long.
        testTimeout: 120_000,
        hookTimeout: 120_000,
        provide: { arePicturesMade: mode === 'screenshots', isDeep: mode === 'deep' },
      },
    })),
    // The suites share one PostgreSQL and the few cores of a small machine; those of processes and pages mostly wait.
    maxWorkers: 3,
    // What is compiled is kept between runs.
    experimental: { fsModuleCache: true },
  },
}))
