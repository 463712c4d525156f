import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minVersion, satisfies } from 'semver'
import { expect, test } from 'vitest'

interface Package {
  link?: boolean
  version?: string
  resolved?: string
  engines?: { node?: string }
}

async function readPackages() {
  const path = join(import.meta.dirname, '../../../package-lock.json')
  const { packages }: { packages: Record<string, Package> } = JSON.parse(await readFile(path, 'utf8'))
  const { '': own, ...others } = packages
  expect(Object.keys(others).length).toBeGreaterThan(300)
  return { own, others: Object.entries(others) }
}

test('every package runs on the oldest Node.js that is promised, and on this one', async () => {
  const { own, others } = await readPackages()
  const oldest = minVersion(own?.engines?.node ?? '')?.version
  expect(oldest).toBe('20.19.0')
  const refusing = others.filter(([, { engines }]) =>
    [String(oldest), process.versions.node].some((version) => !satisfies(version, engines?.node ?? '*')),
  )
  expect(refusing.map(([path, { version, engines }]) => `${path}@${version} wants ${engines?.node}`)).toEqual([])
})

test('.nvmrc names the oldest Node.js that is promised', async () => {
  const { own } = await readPackages()
  const named = await readFile(join(import.meta.dirname, '../../../.nvmrc'), 'utf8')
  expect(named.trim()).toBe(minVersion(own?.engines?.node ?? '')?.version)
})

test('where packages come from is for whoever installs them to say', async () => {
  const { others } = await readPackages()
  expect(others.filter(([, { resolved, link }]) => resolved !== undefined && link !== true)).toEqual([])
})
