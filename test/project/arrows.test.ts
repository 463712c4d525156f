import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
const config = join(root, '.dependency-cruiser.cjs')

/** One file for each arrow that points the wrong way, with the rule that has to refuse it. */
const planted: [rule: string, file: string, content: string][] = [
  [
    'features-are-islands',
    'src/features/a/a-routes.ts',
    "import type { B } from '../b/b-schemas.ts'\nexport type A = B",
  ],
  ['features-stand-on-the-floor', 'src/features/a/a-answers.ts', "export * from '../../ingest/records.ts'"],
  ['features-stand-on-the-floor', 'src/features/a/a-rows.ts', "export * from '../../read-models/c/maintain.ts'"],
  ['read-models-know-the-database', 'src/read-models/c/maintain.ts', "export * from '../../ingest/records.ts'"],
  ['read-models-know-the-database', 'src/read-models/c/check.ts', "export * from '../d/read.ts'"],
  ['ingest-knows-no-source', 'src/ingest/merge-claims.ts', "export * from '../read-models/d/read.ts'"],
  ['http-knows-no-feature', 'src/http/service-errors.ts', "export * from '../features/b/b-schemas.ts'"],
  ['http-knows-no-feature', 'src/cache/response-cache.ts', "export * from '../features/b/b-schemas.ts'"],
  ['http-knows-no-feature', 'src/observability/counters.ts', "export * from '../features/b/b-schemas.ts'"],
  ['schemas-know-nothing', 'src/schemas/primitives.ts', "export * from '../database/column-types.ts'"],
  [
    'database-knows-schemas-only',
    'src/database/connection/open-database.ts',
    "export * from '../../http/one-state.ts'",
  ],
  ['import-is-another-door', 'src/import/record-reader.ts', "export * from '../http/one-state.ts'"],
  [
    'chains-are-another-door',
    'src/indexer/protocol/contracts/read-token.ts',
    "export * from '../../../database/column-types.ts'",
  ],
  [
    'chains-need-types-of-records-only',
    'src/indexer/protocol/contracts/contract-reader.ts',
    "export * from '../../../ingest/records.ts'",
  ],
  ['chains-are-read-without-a-store', 'src/indexer/sync/backfill.ts', "export * from '../store/chain-store.ts'"],
  [
    'protocols-are-registered',
    'src/indexer/sync/new-blocks.ts',
    "export * from '../protocol/boost-core/core-events.ts'",
  ],
  [
    'only-commands-follow-chains',
    'src/http/responses.ts',
    "export * from '../indexer/protocol/boost-core/core-events.ts'",
  ],
  ['ingest-knows-no-source', 'src/ingest/batch-steps.ts', "export * from '../import/sources.ts'"],
  [
    'sample-data-knows-its-facts',
    'packages/sample-data/src/random.ts',
    "export type * from '../../../src/ingest/records.ts'",
  ],
  ['nothing-starts-a-command', 'src/observability/health.ts', "export * from '../commands/serve.ts'"],
  ['queries-stand-in-repositories', 'src/features/b/b-routes.ts', "export { sql } from 'drizzle-orm'"],
  [
    'the-client-knows-the-document-alone',
    'packages/client/src/client.ts',
    "export * from '../../../src/ingest/records.ts'",
  ],
  ['the-client-knows-the-document-alone', 'packages/client/src/pages.ts', "export { LRUCache } from 'lru-cache'"],
  [
    'the-explorer-asks-by-the-client',
    'packages/explorer/src/requests/service.ts',
    "export * from '../../../../src/config.ts'",
  ],
  ['the-docs-know-the-document-alone', 'packages/docs/src/pages.ts', "export * from '../../../src/config.ts'"],
  [
    'conformance-knows-what-everybody-may',
    'packages/conformance/src/http-client.ts',
    "export * from '../../../src/schemas/primitives.ts'",
  ],
  [
    'example-requests-know-the-document-alone',
    'packages/example-requests/src/http-file.ts',
    "export * from '../../../src/config.ts'",
  ],
  ['only-commands-use-packages', 'src/doctor/findings.ts', "export * from 'reward-campaigns-conformance'"],
  ['the-service-needs-no-client', 'src/http/openapi.ts', "export * from '../../packages/client/src/amounts.ts'"],
  ['production-needs-no-tests', 'packages/client/src/retries.ts', "export * from '../../../test/setup/records.ts'"],
  ['production-needs-no-tests', 'src/observability/metrics-server.ts', "export * from '../../test/setup/records.ts'"],
  ['production-needs-no-tools', 'src/observability/logging.ts', "export { test } from 'vitest'"],
  ['production-needs-no-tools', 'packages/strict-http/src/relative-links.ts', "export { test } from 'vitest'"],
  [
    'tracing-listens',
    'src/observability/traces.ts',
    "export { trace } from '@opentelemetry/api'\nexport * from '../http/one-state.ts'",
  ],
  ['traces-are-loaded-on-demand', 'src/commands/index-chains.ts', "export * from '../observability/traces.ts'"],
  ['only-traces-know-opentelemetry', 'src/http/page-links.ts', "export { trace } from '@opentelemetry/api'"],
  ['the-worker-knows-chains', 'src/indexer/chain-worker.ts', "export * from '../http/one-state.ts'"],
  ['only-commands-start-workers', 'src/indexer/sync/sync-loop.ts', "export * from '../chain-worker.ts'"],
  ['chains-are-observed', 'src/observability/chains/chain-log.ts', "export * from '../../http/one-state.ts'"],
  ['processes-know-no-command', 'src/process/listen.ts', "export * from '../ingest/records.ts'"],
  ['only-commands-run-processes', 'src/http/cursors.ts', "export * from '../process/listen.ts'"],
  [
    'buildings-know-no-service',
    'packages/embedded-postgres/src/embedded-cluster.ts',
    "export * from '../../../src/database/column-types.ts'",
  ],
  [
    'buildings-know-no-service',
    'packages/strict-http/src/request/validation.ts',
    "export * from '../../../../src/database/column-types.ts'",
  ],
  [
    'buildings-know-no-service',
    'packages/strict-http/src/markup.ts',
    "export * from 'reward-campaigns-embedded-postgres'",
  ],
  [
    'http-is-for-those-who-serve',
    'src/import/import-failures.ts',
    "export * from 'reward-campaigns-strict-http/request/routing'",
  ],
  ['embedded-has-one-door', 'src/doctor/database-checks.ts', "export * from 'reward-campaigns-embedded-postgres'"],
  ['no-cycles', 'src/import/lines.ts', "export * from './sources.ts'"],
]

const harmless: [file: string, content: string][] = [
  ['src/features/b/b-schemas.ts', 'export type B = string\nexport const b = 1'],
  ['src/features/b/b-repository.ts', "export { sql } from 'drizzle-orm'\nexport * from './b-schemas.ts'"],
  ['src/features/b/b-rows.ts', "export * from '../../read-models/d/read.ts'"],
  ['src/read-models/d/read.ts', "export { sql } from 'drizzle-orm'\nexport * from '../../database/column-types.ts'"],
  ['src/ingest/records.ts', 'export const records = 1'],
  ['src/indexer/protocol/boost-core/core-events.ts', 'export const events = 1'],
  ['src/indexer/store/chain-store.ts', "export * from '../../ingest/records.ts'"],
  ['src/import/sources.ts', "export * from './lines.ts'"],
  ['src/database/column-types.ts', 'export const columns = 1'],
  ['packages/conformance/src/conformance.ts', 'export const examineDeployment = 1'],
  ['src/commands/conformance.ts', "export * from 'reward-campaigns-conformance'"],
  ['packages/client/src/amounts.ts', "export { default } from 'openapi-fetch'"],
  ['src/http/one-state.ts', 'export const state = 1'],
  ['src/commands/serve.ts', "export const serve = () => import('../observability/traces.ts')"],
  ['packages/embedded-postgres/src/embedded-postgres.ts', 'export const embedded = 1'],
  ['packages/strict-http/src/request/routing.ts', 'export const routing = 1'],
  ['src/cache/minimum-blocks.ts', "export * from 'reward-campaigns-strict-http/request/routing'"],
  ['test/setup/records.ts', 'export const aRecord = 1'],
]

interface Violation {
  from: string
  rule: { name: string }
}

test('every arrow that points the wrong way is refused, and nothing else is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planted-'))
  try {
    for (const [file, content] of [...planted.map(([, file, content]) => [file, content] as const), ...harmless]) {
      await mkdir(join(folder, dirname(file)), { recursive: true })
      await writeFile(join(folder, file), `${content}\n`)
    }
    for (const file of ['package.json', 'tsconfig.json']) await copyFile(join(root, file), join(folder, file))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))

    const violations = await cruise(folder)
    for (const [rule, file] of planted) {
      expect(violations, `${file} breaks ${rule}`).toContainEqual(
        expect.objectContaining({ from: file, rule: expect.objectContaining({ name: rule }) }),
      )
    }
    const guilty = new Set([...planted.map(([, file]) => file), 'src/import/sources.ts'])
    expect(violations.filter(({ from }) => !guilty.has(from))).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** What dependency-cruiser objects to in the `src`, `packages` and `test` of a folder. */
async function cruise(folder: string): Promise<Violation[]> {
  const parameters = [cruiser, 'src', 'packages', 'test', '--config', config, '--output-type', 'json']
  const { stdout } = await run(process.execPath, parameters, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
    // The exit code is the number of violations.
    (error: { stdout: string }) => error,
  )
  const result: { summary: { violations: Violation[] } } = JSON.parse(stdout)
  return result.summary.violations
}
