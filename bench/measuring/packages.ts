import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startProgram } from './child-processes.ts'

/** Installs packages that only a measurement needs, in a folder of their own, unless they are there. */
export async function installPackages(folder: string, versions: Record<string, string>) {
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: versions })
  const marker = join(folder, 'installed.json')
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), wanted)
  // biome-ignore lint/style/noProcessEnv: behind a proxy, npm waits for ever without what it trusts.
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  const npm = startProgram(
    'npm',
    ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { settings: certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates } },
  )
  const [code] = await once(npm, 'exit')
  if (code !== 0) throw new Error(`npm could not install ${Object.keys(versions).join(', ')}: it ended with ${code}`)
  await writeFile(marker, wanted)
}
