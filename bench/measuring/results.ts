import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { queryFacts } from '../data/popular-facts.ts'
import { postgraphileVersions } from '../service/postgraphile.ts'
import { LOG_LEVEL } from '../service/service.ts'
import { root } from './child-processes.ts'
import { type Figure, toText, withUnit } from './measure.ts'

export interface Results {
  date: string
  campaigns: number
  claims: number
  minutes: number
  environment: Record<string, string>
  figures: Figure[]
}

const versionOf = async (program: string, ...parameters: string[]) =>
  (await promisify(execFile)(program, parameters, { cwd: root })).stdout.trim()

/** The machine, and the version of everything that counts. */
export async function describeEnvironment(databaseUrl: string, serverSettings: Record<string, string>) {
  const dependencies = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages
  const [server] = await queryFacts<{ version: string; hugePages: string }>(
    databaseUrl,
    `select version(), current_setting('huge_pages_status') as "hugePages"`,
  )
  const settings = Object.entries(serverSettings).map(([name, value]) => `${name} ${value}`)
  const commit = await versionOf('git', 'rev-parse', '--short=12', 'HEAD').catch(() => 'unknown')
  const changes = await versionOf('git', 'status', '--porcelain', '--untracked-files=no').catch(() => '')
  return {
    commit: changes === '' ? commit : `${commit}, with changes`,
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`,
    service: `compiled, NODE_ENV=production, LOG_LEVEL=${LOG_LEVEL} into a file`,
    node: process.version,
    postgresql: `${server?.version.split(' on ')[0] ?? 'unknown'} (embedded; ${settings.join(', ')}; huge pages ${server?.hugePages ?? 'unknown'})`,
    fastify: dependencies['node_modules/fastify'].version,
    autocannon: dependencies['node_modules/autocannon'].version,
    ...postgraphileVersions,
  }
}

/** Writes the results as a table and as data. */
export async function writeResults(folder: string, results: Results) {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(join(folder, 'results.md'), toMarkdown(results))
}

export function toMarkdown({ date, campaigns, claims, minutes, environment, figures }: Results) {
  const count = (number: number) => number.toLocaleString('en-US')
  return `# ${count(campaigns)} campaigns, ${count(claims)} claims

Written by \`npm run bench\` on ${date}, in ${Math.round(minutes)} minutes. ${figures.filter(isReached).length} of ${figures.length} targets are reached. Compare within this
run: absolute figures depend on the machine and its neighbours.

| what | target | measured | |
| --- | --- | --- | --- |
${figures.map(toRow).join('\n')}

## How it came about

${figures.map((figure) => `- **${figure.what}**: ${figure.note}`).join('\n')}

## Machine and versions

| | |
| --- | --- |
${Object.entries(environment)
  .map(([name, value]) => `| ${name} | ${value} |`)
  .join('\n')}
`
}

function toRow(figure: Figure) {
  const { what, rule, limit, unit, value } = figure
  const verdict =
    value === undefined ? 'failed' : isReached(figure) ? 'reached' : `${toText((shareReached(figure) ?? 0) * 100)} %`
  return `| ${what} | ${rule === 'at most' ? '≤' : '≥'} ${withUnit(limit, unit)} | ${value === undefined ? '–' : withUnit(value, unit)} | ${verdict} |`
}

/** How much of the target is reached: 1 is all of it. */
function shareReached({ rule, limit, value }: Figure) {
  if (value === undefined) return undefined
  if (rule === 'at least') return value / limit
  return value <= 0 ? Number.POSITIVE_INFINITY : limit === 0 ? 0 : limit / value
}

function isReached(figure: Figure) {
  if (figure.value === undefined) return false
  return figure.rule === 'at least' ? figure.value >= figure.limit : figure.value <= figure.limit
}
