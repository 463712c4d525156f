import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trustProxies } from 'reward-campaigns-strict-http/security/client-addresses'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../../src/config.ts'
import { Settings } from '../../../src/settings.ts'
import { root } from '../../setup/documents/documents.ts'

/*
 * What starts the service elsewhere fits its settings: docker-compose.yml and the units of systemd.
 */

const unknownSettings = (names: string[]) => names.filter((name) => !(name in Settings.properties))

describe('docker-compose.yml', () => {
  interface Service {
    image: string
    environment: Record<string, string | number | null>
    networks: string[]
    secrets: string[]
    ports?: string[]
    tmpfs?: string[]
    stop_grace_period?: string
    healthcheck?: { disable?: boolean }
    profiles?: string[]
    [key: string]: unknown
  }
  interface Compose {
    services: Record<string, Service>
    networks: Record<string, { internal?: boolean } | null>
    secrets: Record<string, { file: string }>
    configs: Record<string, { file: string }>
  }
  const { services, networks, secrets, configs }: Compose = parse(
    readFileSync(join(root, 'docker-compose.yml'), 'utf8'),
    { merge: true },
  )
  const { postgres, ...own } = services
  const ownServices = Object.entries(own)

  test('bounds and confines every service, and all but PostgreSQL run one image', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.mem_limit, name).toMatch(/^(\d+[mg]|\$\{[A-Z_]+:-\d+[mg]\})$/)
      // Docker starts nothing that may use more processors than the machine has.
      expect(service.cpus, name).toMatch(/^\$\{[A-Z_]+:-1\}$/)
      expect(service.logging, name).toEqual({ driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } })
      expect(service.pids_limit, name).toBeGreaterThan(0)
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
    expect(new Set(ownServices.map(([, { image }]) => image))).toEqual(new Set(['reward-campaign-service:local']))
    expect(postgres?.image).toMatch(/^postgres:\d+-/)
    expect(postgres).toMatchObject({ user: 'postgres', tmpfs: ['/tmp', '/var/run/postgresql:mode=1777'] })
  })

  test('has passwords in files alone: a container that is read-only takes no other secrets and configurations', () => {
    for (const [name, { environment }] of Object.entries(services)) {
      const named = Object.entries(environment).filter(([key]) => /PASSWORD|SECRET/.test(key))
      expect(named.length, name).toBeGreaterThan(0)
      for (const [key, value] of named) {
        expect(key).toMatch(/_FILE$/)
        expect(services[name]?.secrets).toContain(String(value).replace('/run/secrets/', ''))
      }
    }
    for (const [name, given] of Object.entries(secrets)) {
      expect(given).toEqual({ file: `\${SECRETS_DIR:-./secrets}/${name}` })
    }
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('/secrets/')
    for (const given of Object.values(configs)) expect(existsSync(join(root, given.file))).toBe(true)
    const used = Object.values(services).flatMap((service) => service.secrets)
    expect(new Set(used)).toEqual(new Set(Object.keys(secrets)))
  })

  test('lets nothing reach the database but the services, and those only what they need besides', () => {
    expect(Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.networks]))).toEqual({
      postgres: ['database'],
      migrate: ['database'],
      import: ['database'],
      cli: ['database'],
      api: ['database', 'front'],
      index: ['database', 'nodes'],
      notify: ['database', 'receivers'],
    })
    expect(networks.database).toEqual({ internal: true })
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['api', [`\${API_ADDRESS:-127.0.0.1}:\${API_PORT:-3000}:3000`]],
    ])
  })

  test('believes the proxy on its machine, through the gateway of the network', () => {
    const { TRUSTED_PROXIES } = own.api?.environment ?? {}
    expect(TRUSTED_PROXIES).toBe(`\${TRUSTED_PROXIES:-uniquelocal}`)
    const isProxy = trustProxies(['uniquelocal'])
    expect(['172.18.0.1', '::ffff:172.18.0.1', '192.168.1.1'].map((address) => isProxy(address, 0))).toEqual([
      true,
      true,
      true,
    ])
    expect(isProxy('203.0.113.1', 0)).toBe(false)
  })

  test('sets only settings, and what the chain file may name', () => {
    for (const [name, { environment }] of ownServices) {
      const others = unknownSettings(Object.keys(environment)).filter((key) => !/^(RPC_\d+|OTEL_\w+)$/.test(key))
      expect(others, name).toEqual([])
      if (name !== 'index') expect(Object.keys(environment).filter((key) => key.startsWith('RPC_'))).toEqual([])
    }
  })

  test('hands on every setting, to the API or the indexer, that is not fixed by the image or by the file', () => {
    const fixed = ['ENV_FILE', 'DATA_DIR', 'SAMPLE_DATA', 'HOST', 'PORT', 'MIGRATE_ON_START']
    const handedOn = [own.api, own.index].flatMap((service) => Object.keys(service?.environment ?? {})).concat(fixed)
    expect(Object.keys(Settings.properties).filter((name) => !handedOn.includes(name))).toEqual([])
  })

  test('limits the requests of a client as the image does', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    const [, quota] = /^ENV .*\bREQUESTS_PER_MINUTE=(\d+)/m.exec(dockerfile) ?? []
    expect(Number(quota)).toBeGreaterThan(0)
    expect(own.api?.environment?.REQUESTS_PER_MINUTE).toBe(`\${REQUESTS_PER_MINUTE:-${quota}}`)
  })

  test('gives whatever runs for long the time that it takes to end', () => {
    for (const name of ['api', 'index', 'notify']) {
      const { environment = {}, stop_grace_period: grace } = own[name] ?? {}
      const set = Object.entries(environment).filter(([, value]) => value !== null && value !== undefined)
      const { SHUTDOWN_TIMEOUT_SECONDS } = readSettings(
        // What Compose puts in where nothing is set.
        Object.fromEntries(
          set
            .filter(([key]) => key !== 'DATABASE_PASSWORD_FILE')
            .map(([key, value]) => [key, String(value).replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
        ),
      )
      expect(Number(/^(\d+)s$/.exec(grace ?? '')?.[1]), name).toBeGreaterThan(SHUTDOWN_TIMEOUT_SECONDS)
    }
  })
})

describe('the units of systemd', () => {
  const folder = join(root, 'ops/systemd')
  const units = readdirSync(folder).map((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    const directives = lines.flatMap((line) => {
      const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return key === '' ? [] : [[key, value] as const]
    })
    const directive = (wanted: string) => directives.filter(([key]) => key === wanted).map(([, value]) => value)
    const [variables = ''] = directive('Environment')
    return { name, directive, variables: Object.fromEntries(variables.split(' ').map((pair) => pair.split('='))) }
  })

  test('are one for the API and one for the chains, each with a file of settings of its own', () => {
    expect(
      units.map(({ name, directive }) => [name, ...directive('ExecStart'), ...directive('EnvironmentFile')]),
    ).toEqual([
      [
        'reward-campaigns-index.service',
        '/usr/bin/node dist/commands/cli.js index --chains /etc/reward-campaigns/chains.yaml',
        '/etc/reward-campaigns/index.env',
      ],
      [
        'reward-campaigns@.service',
        '/usr/bin/node dist/commands/cli.js serve',
        '/etc/reward-campaigns/serve.env',
        '-/etc/reward-campaigns/serve-%i.env',
      ],
    ])
  })

  test('set settings that are accepted, and leave the service the time and the descriptors that these say', () => {
    for (const { name, directive, variables } of units) {
      const { NODE_ENV, ...given } = variables
      const settings = Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, String(value).replace('%i', '3001')]),
      )
      expect(NODE_ENV, name).toBe('production')
      expect(unknownSettings(Object.keys(settings)), name).toEqual([])
      const { SHUTDOWN_TIMEOUT_SECONDS, MAX_CONNECTIONS, PORT, TRUSTED_PROXIES } = readSettings(settings)
      expect(Number(directive('TimeoutStopSec')), name).toBeGreaterThan(SHUTDOWN_TIMEOUT_SECONDS)
      expect(directive('KillSignal'), name).toEqual(['SIGTERM'])
      expect(directive('Restart'), name).toEqual(['on-failure'])
      if (name === 'reward-campaigns@.service') {
        expect(PORT).toBe(3001)
        expect(TRUSTED_PROXIES).toEqual(['loopback'])
        expect(Number(directive('LimitNOFILE'))).toBeGreaterThan(MAX_CONNECTIONS)
      }
    }
  })

  test('confine what they start', () => {
    for (const { name, directive } of units) {
      const confinement = {
        DynamicUser: 'yes',
        NoNewPrivileges: 'yes',
        ProtectSystem: 'strict',
        ProtectHome: 'yes',
        PrivateTmp: 'yes',
        PrivateDevices: 'yes',
        CapabilityBoundingSet: '',
        IPAddressDeny: 'link-local 169.254.169.254 fd00:ec2::254',
        RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX',
        SystemCallArchitectures: 'native',
      }
      for (const [key, value] of Object.entries(confinement)) expect(directive(key), `${name}: ${key}`).toEqual([value])
      expect(directive('SystemCallFilter'), name).toEqual(['@system-service', '~@privileged'])
      expect(directive('MemoryMax'), name).toHaveLength(1)
      expect(directive('MemoryDenyWriteExecute'), name).toEqual([])
    }
  })
})
