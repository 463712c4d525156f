import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from 'kubernetes-types/apps/v1.js'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js'
import type { Job } from 'kubernetes-types/batch/v1.js'
import type { ConfigMap, Secret, Service } from 'kubernetes-types/core/v1.js'
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'
import { root } from './documents.ts'

/*
 * The manifests of Kubernetes, and what its schemas say of them.
 */

interface Kinds {
  ConfigMap: ConfigMap
  Deployment: Deployment
  HorizontalPodAutoscaler: HorizontalPodAutoscaler
  Job: Job
  NetworkPolicy: NetworkPolicy
  PodDisruptionBudget: PodDisruptionBudget
  Secret: Secret
  Service: Service
}

export interface Manifest {
  apiVersion: string
  kind: string
  /** Below `ops/kubernetes`. */
  file: string
  content: object
}

const folder = join(root, 'ops/kubernetes')

/** Every object below `ops/kubernetes`, also those that only kustomize reads. */
export function readManifests(): Manifest[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'))
  return files.sort().flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { merge: true, uniqueKeys: true }).map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join()}`)
      const content: { apiVersion: string; kind: string } = document.toJS()
      return { apiVersion: content.apiVersion, kind: content.kind, file, content }
    }),
  )
}

/** The objects of a kind, whose form `describeFaults` has checked. */
export function ofKind<Kind extends keyof Kinds>(manifests: Manifest[], kind: Kind) {
  return manifests.filter((manifest) => manifest.kind === kind).map(({ content }) => content as Kinds[Kind])
}

/**
 * What the schemas of Kubernetes' API refuse: keys that they do not know, values of other types, and what is missing. A
 * package has them as types, so the compiler is asked: a line for each fault.
 */
export function describeFaults(manifests: Manifest[]): string[] {
  const name = join(root, 'manifests.ts')
  const source = manifests.map(({ apiVersion, kind, content }) => {
    const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
    const module = `kubernetes-types/${group.split('.')[0]}/${version}`
    const rules = `import('${module}').${kind} & { apiVersion: string; kind: string; metadata: { name: string } }`
    return `{ const manifest: ${rules} = ${JSON.stringify(content)} }`
  })
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const getSourceFile = host.getSourceFile.bind(host)
  host.getSourceFile = (path, language) =>
    path === name ? ts.createSourceFile(path, source.join('\n'), language) : getSourceFile(path, language)
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host))
  return diagnostics.map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line
    return `${manifests[line]?.file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
