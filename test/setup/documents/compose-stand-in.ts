import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { parse } from 'yaml'

/*
 * In place of `docker`, where there is none: what `docker compose` would run in a container is run here, as docker-compose.yml of
 * the current folder says it. PostgreSQL is a server that runs already, reached by its socket as within its container.
 */

interface Service {
  environment?: Record<string, string | number | null>
  entrypoint?: string[]
  command?: string[]
  volumes?: (string | object)[]
  secrets?: string[]
}

const { CLI = '', SERVER_FOLDER = '', SERVER_PORT = '', ...environment } = env
const { services }: { services: Record<string, Service> } = parse(readFileSync('docker-compose.yml', 'utf8'), {
  merge: true,
})

/** As within the container of PostgreSQL. */
const IN_POSTGRES = { ...environment, PGHOST: SERVER_FOLDER, PGPORT: SERVER_PORT }

const interpolate = (text: string) =>
  text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name, fallback = '') => environment[name] || fallback)

/** As which option each begins a value of its own. */
const WITH_VALUE = ['--profile', '--volume', '--user', '--env', '--scale', '--tail']

const [compose, ...parameters] = process.argv.slice(2)
if (compose !== 'compose') throw new Error(`not docker ${compose}`)
const options: [name: string, value: string][] = []
const takeOptions = () => {
  while (parameters[0]?.startsWith('-')) {
    const name = String(parameters.shift())
    options.push([name, WITH_VALUE.includes(name) ? String(parameters.shift()) : ''])
  }
}
const valuesOf = (wanted: string) => options.filter(([name]) => name === wanted).map(([, value]) => value)

takeOptions()
const action = String(parameters.shift())
takeOptions()
if (action === 'run') process.exitCode = runService(String(parameters.shift()), parameters)
else if (action === 'exec') process.exitCode = runInPostgres(parameters)
else if (action === 'up') up(parameters)
else if (['stop', 'build', 'logs'].includes(action)) for (const name of parameters) serviceOf(name)
else throw new Error(`not docker compose ${action}`)

function serviceOf(name: string) {
  const service = services[name]
  if (service === undefined) throw new Error(`no such service: ${name}`)
  return service
}

/** What the command line in the image does, with paths of the container where they are here. */
function runService(name: string, given: string[]) {
  const { environment: settings = {}, entrypoint, command = [], volumes = [], secrets = [] } = serviceOf(name)
  const mounts = [...volumes.filter((volume) => typeof volume === 'string'), ...valuesOf('--volume')].map((volume) =>
    interpolate(volume).split(':'),
  )
  const toHere = (text: string) => {
    const secret = /\/run\/secrets\/([\w-]+)/.exec(text)?.[1]
    if (secret !== undefined && !secrets.includes(secret)) throw new Error(`${name} has no secret ${secret}`)
    const mounted = mounts.reduce(
      (path, [source = '', target = '']) => path.replace(new RegExp(`(?<=^|=)${target}(?=/|$)`), source),
      text,
    )
    return mounted.replace('/run/secrets/', 'secrets/').replace('@postgres:5432', `@127.0.0.1:${SERVER_PORT}`)
  }
  const extra = Object.fromEntries(valuesOf('--env').map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
  const variables: Record<string, string | undefined> = { PATH: environment.PATH, ENV_FILE: '/dev/null' }
  for (const [key, value] of Object.entries({ ...settings, ...extra })) {
    variables[key] = value === null ? environment[key] : toHere(interpolate(String(value)))
  }
  const ofEntry = (entrypoint ?? []).slice(2)
  const ofCommand = (given.length > 0 ? given : command).map((one) => toHere(interpolate(one)))
  return spawnSync(process.execPath, [CLI, ...ofEntry, ...ofCommand], { env: variables, stdio: 'inherit' }).status ?? 1
}

function runInPostgres([service, program = '', ...given]: string[]) {
  if (service !== 'postgres') throw new Error(`nothing else runs: ${service}`)
  return spawnSync(program, given, { env: IN_POSTGRES, stdio: 'inherit' }).status ?? 1
}

/** On a new volume, the image runs the script of roles; then the service `migrate` runs, and those of profiles are looked at. */
function up(names: string[]) {
  for (const name of names) serviceOf(name)
  const found = execFileSync('psql', ['-U', 'postgres', '-Atc', 'select count(*) from pg_database'], {
    env: IN_POSTGRES,
  })
  if (Number(found) === 3) {
    const script = readFileSync('ops/compose/create-roles.sh', 'utf8').replaceAll(
      '/run/secrets/',
      join(process.cwd(), 'secrets/'),
    )
    execFileSync('sh', ['-e'], { input: script, env: IN_POSTGRES })
  }
  process.exitCode = runService('migrate', [])
}
