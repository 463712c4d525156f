import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PodSpec, Probe } from 'kubernetes-types/core/v1.js'
import { expect, test } from 'vitest'
import { readSettings } from '../../../src/config.ts'
import { parseChainFile } from '../../../src/indexer/chain-config.ts'
import { createRegister, serveMetrics } from '../../../src/observability/metrics-server.ts'
import { Settings } from '../../../src/settings.ts'
import { root } from '../../setup/documents/documents.ts'
import { describeFaults, ofKind, readManifests } from '../../setup/documents/manifests.ts'
import { startTestApp } from '../../setup/test-app.ts'

/*
 * What stands in ops/kubernetes fits the schemas of Kubernetes, the service, and each other.
 */

const everything = readManifests()
const kustomizations = everything.filter(({ kind }) => kind === 'Kustomization')
const manifests = everything.filter(({ kind }) => kind !== 'Kustomization')

const maps = ofKind(manifests, 'ConfigMap')
const secrets = ofKind(manifests, 'Secret')
const deployments = ofKind(manifests, 'Deployment')
const workloads = [...deployments, ...ofKind(manifests, 'Job')].map(({ metadata, spec }) => {
  const pod = spec?.template.spec
  const [container, ...others] = pod?.containers ?? []
  if (pod === undefined || container === undefined || others.length > 0) throw new Error('not a pod of one container')
  return { name: metadata?.name ?? '', pod, container, labels: spec?.template.metadata?.labels ?? {} }
})
const workload = (component: string) => {
  const found = workloads.find(({ name }) => name === `reward-campaigns-${component}`)
  if (found === undefined) throw new Error(`no ${component}`)
  return found
}

/** What the image sets, and what the manifest adds; secrets have a value of the form that they want. */
function environmentOf({ container }: { container: PodSpec['containers'][number] }) {
  const [, ofImage = ''] = /^ENV (.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  const environment = Object.fromEntries(ofImage.split(' ').map((pair) => pair.split('=')))
  delete environment.NODE_ENV
  for (const { configMapRef } of container.envFrom ?? []) {
    Object.assign(environment, maps.find(({ metadata }) => metadata?.name === configMapRef?.name)?.data)
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    environment[name] = valueFrom === undefined ? (value ?? '') : 'postgres://user@database:5432/rewards'
  }
  return environment as Record<string, string>
}

test('every manifest keeps to the schemas of Kubernetes', () => {
  expect(manifests.length).toBeGreaterThan(12)
  expect(describeFaults(manifests)).toEqual([])
})

test('what the schemas do not allow is found', () => {
  const written = (content: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', file: 'planted.yaml', content })
  const [deployment] = deployments
  const spec = { ...deployment?.spec, template: { spec: { containers: [{ name: 'api', readnessProbe: {} }] } } }
  const faults = describeFaults([
    written({ ...deployment }),
    written({ ...deployment, spec }),
    written({ ...deployment, spec: { template: {} } }),
    written({ ...deployment, spec: { ...deployment?.spec, replicas: '2' } }),
  ])
  expect(faults).toEqual([
    expect.stringMatching(/^planted\.yaml: .*readnessProbe.* does not exist in type 'Container'/),
    expect.stringMatching(/^planted\.yaml: .*'selector' is missing/),
    "planted.yaml: Type 'string' is not assignable to type 'number'.",
  ])
})

test('each folder is a kustomization of all that lies in it', () => {
  expect(kustomizations.length).toBe(3)
  const listed = kustomizations.flatMap(({ file, content }) => {
    const { resources } = content as { resources: string[] }
    return resources.map((name) => join(dirname(file), name))
  })
  const lying = manifests.map(({ file }) => file).filter((file) => file !== 'secrets.example.yaml')
  expect(listed.sort()).toEqual(lying.sort())
})

test('what is set are settings of the service, with values that it accepts', () => {
  for (const { name, container } of workloads) {
    const environment = environmentOf({ container })
    expect(
      Object.keys(environment).filter((key) => !(key in Settings.properties)),
      name,
    ).toEqual([])
    expect(readSettings(environment).DATABASE_URL, name).toMatch(/^postgres:/)
  }
})

test('every probe asks what the service answers, where it listens', async () => {
  await using api = await startTestApp()
  const metrics = serveMetrics(createRegister())
  for (const { pod, container } of workloads) {
    const settings = readSettings(environmentOf({ container }))
    const listening = { http: settings.PORT, metrics: settings.METRICS_PORT }
    for (const { name, containerPort } of container.ports ?? []) {
      expect(containerPort).toBe(listening[name as keyof typeof listening])
    }
    const { livenessProbe, readinessProbe, startupProbe } = container
    for (const probe of [livenessProbe, readinessProbe, startupProbe].filter((found) => found !== undefined)) {
      const isLiveness = probe.httpGet?.path === '/livez'
      expect(probe.httpGet?.port).toBe(isLiveness ? 'metrics' : 'http')
      const server = isLiveness ? metrics : api.app
      expect((await server.inject(probe.httpGet?.path ?? '')).statusCode).toBe(200)
    }
    if (livenessProbe !== undefined) expect(livenessProbe.httpGet?.path).toBe('/livez')
    expect(pod.hostNetwork).toBeUndefined()
  }
  expect(workload('api').container.readinessProbe?.httpGet?.path).toBe('/readyz')
})

test('a pod keeps its requests for as long as it may give old answers, and is given the time it takes to end', () => {
  const { pod, container } = workload('api')
  const settings = readSettings(environmentOf({ container }))
  const timeout = ({ periodSeconds = 10, failureThreshold = 3 }: Probe = {}) => periodSeconds * failureThreshold
  expect(timeout(container.readinessProbe)).toBeGreaterThanOrEqual(settings.STALE_IF_ERROR_SECONDS)
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(settings.SHUTDOWN_TIMEOUT_SECONDS)
  expect(settings.DRAIN_SECONDS).toBeGreaterThan(0)
  const index = workload('index')
  const { SHUTDOWN_TIMEOUT_SECONDS } = readSettings(environmentOf(index))
  expect(index.pod.terminationGracePeriodSeconds).toBeGreaterThan(SHUTDOWN_TIMEOUT_SECONDS)
})

test('no pod of the API is taken away before another serves, and there is one index at most', () => {
  const strategies = deployments.map(({ metadata, spec }) => [metadata?.name, spec?.replicas, spec?.strategy])
  expect(strategies).toEqual([
    [
      'reward-campaigns-api',
      undefined,
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: expect.any(Number) } },
    ],
    ['reward-campaigns-index', 1, { type: 'Recreate' }],
  ])
})

test('as many pods as there may be fit into the connections that PostgreSQL has unless told otherwise', () => {
  const [autoscaler] = ofKind(manifests, 'HorizontalPodAutoscaler')
  const [deployment] = deployments
  expect(autoscaler?.spec?.scaleTargetRef.name).toBe(deployment?.metadata?.name)
  const pods = Number(autoscaler?.spec?.maxReplicas) + Number(deployment?.spec?.strategy?.rollingUpdate?.maxSurge)
  const { DATABASE_POOL_SIZE, MAX_EXPORTS } = readSettings(environmentOf(workload('api')))
  // Three of the hundred are for superusers; some are for the other commands.
  expect(pods * (DATABASE_POOL_SIZE + MAX_EXPORTS + 2)).toBeLessThanOrEqual(90)
})

test('every selector finds exactly its own pods, and every named port is there', () => {
  const selectors = [
    ...deployments.map(({ metadata, spec }) => [metadata?.name, spec?.selector.matchLabels]),
    ...ofKind(manifests, 'PodDisruptionBudget').map(({ metadata, spec }) => [
      metadata?.name,
      spec?.selector?.matchLabels,
    ]),
    ...ofKind(manifests, 'NetworkPolicy').map(({ metadata, spec }) => [metadata?.name, spec?.podSelector.matchLabels]),
    ...ofKind(manifests, 'Service').map(({ metadata, spec }) => [metadata?.name, spec?.selector]),
  ] as [string, Record<string, string> | undefined][]
  expect(selectors.length).toBe(7)
  for (const [name, selector] of selectors) {
    const wanted = Object.entries(selector ?? {})
    const found = workloads.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    expect(found.map((pod) => pod.name)).toEqual([name])
  }
  const policies = ofKind(manifests, 'NetworkPolicy')
  expect(policies.length).toBe(workloads.length)
  const targets = [
    ...ofKind(manifests, 'Service').flatMap(({ metadata, spec }) =>
      (spec?.ports ?? []).map(({ targetPort }) => [metadata?.name, targetPort]),
    ),
    ...policies.flatMap(({ metadata, spec }) =>
      (spec?.ingress ?? []).flatMap(({ ports }) => (ports ?? []).map(({ port }) => [metadata?.name, port])),
    ),
  ]
  const listening = workloads.flatMap(({ name, container }) => (container.ports ?? []).map((port) => [name, port.name]))
  expect(targets.length).toBeGreaterThan(3)
  for (const target of targets) expect(listening).toContainEqual(target)
})

test('only the ingress, whose addresses are believed, reaches the API, and no pod reaches what a cloud tells its machines', () => {
  const policies = ofKind(manifests, 'NetworkPolicy')
  const ofApi = policies.find(({ metadata }) => metadata?.name === 'reward-campaigns-api')
  const namespacesOf = (port: string) =>
    ofApi?.spec?.ingress
      ?.filter(({ ports }) => ports?.some((one) => one.port === port))
      .map(({ from }) => from?.map(({ namespaceSelector }) => namespaceSelector?.matchLabels))
  expect(namespacesOf('http')).toEqual([[{ 'kubernetes.io/metadata.name': 'ingress-nginx' }]])
  expect(ofApi?.spec?.ingress?.every(({ from }) => (from ?? []).length > 0)).toBe(true)
  expect(readSettings(environmentOf(workload('api'))).TRUSTED_PROXIES).toEqual(['uniquelocal'])
  for (const { metadata, spec } of policies) {
    for (const { to = [], ports = [] } of spec?.egress ?? []) {
      // Names, which a link-local server may know.
      if (ports.every(({ port }) => port === 53) && ports.length > 0) continue
      expect(
        to.map(({ ipBlock }) => ipBlock),
        metadata?.name,
      ).toEqual([
        { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] },
        { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] },
      ])
    }
  }
})

test('every pod is confined as the image bears it', () => {
  for (const { pod, container, name } of workloads) {
    expect(pod.securityContext, name).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext, name).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod, name).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(Object.keys(container.resources?.requests ?? {}), name).toEqual(['cpu', 'memory'])
    expect(container.resources?.limits?.memory, name).toMatch(/^\d+[MG]i$/)
  }
})

test('all run one image, of the version of this package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(new Set(workloads.map(({ container }) => container.image))).toEqual(
    new Set([`reward-campaign-service:${version}`]),
  )
})

test('secrets are named by example and without a value, and only what writes has the role that owns the tables', () => {
  const examples = new Map(secrets.map(({ metadata, stringData }) => [metadata?.name, stringData ?? {}]))
  expect([...examples.values()].flatMap(Object.values).filter((value) => value !== '')).toEqual([])
  const roles = workloads.map(({ name, container }) => {
    const { secretKeyRef } = container.env?.find((entry) => entry.name === 'DATABASE_URL')?.valueFrom ?? {}
    expect(Object.keys(examples.get(secretKeyRef?.name) ?? {})).toContain(secretKeyRef?.key)
    return [name, secretKeyRef?.name]
  })
  expect(Object.fromEntries(roles)).toEqual({
    'reward-campaigns-api': 'reward-campaigns-serving',
    'reward-campaigns-migrate': 'reward-campaigns-owner',
    'reward-campaigns-index': 'reward-campaigns-owner',
  })
  const { container } = workload('migrate')
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  expect(compose).toContain(`command: [${container.args?.join(', ')}]`)
})

test('the chain file is one that `index` takes, with what the secret gives it', () => {
  const { container, pod } = workload('index')
  const [secret] = container.envFrom ?? []
  const example = secrets.find(({ metadata }) => metadata?.name === secret?.secretRef?.name)
  const environment = Object.fromEntries(
    Object.keys(example?.stringData ?? {}).map((name) => [name, 'https://node.example/']),
  )
  const map = maps.find(({ metadata }) => metadata?.name === pod.volumes?.[0]?.configMap?.name)
  const [file = '', text = ''] = Object.entries(map?.data ?? {})[0] ?? []
  expect(container.args).toEqual(['index', '--chains', join(container.volumeMounts?.[0]?.mountPath ?? '', file)])
  const chains = parseChainFile(file, text, environment)
  expect(chains.flatMap(({ urls }) => urls)).toEqual(Object.values(environment))
})
