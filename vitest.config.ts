import { devNull } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/build.ts', 'test/setup/postgres.ts'],
    // The suites share one PostgreSQL and the few cores of a small machine.
    maxWorkers: 3,
    // No developer's `.env` changes what is tested.
    env: { ENV_FILE: devNull },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
