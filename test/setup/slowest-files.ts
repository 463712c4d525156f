import type { Reporter, TestModule } from 'vitest/node'

const NAMED = 10

/** Of runs of fewer files, each one shows its time anyway. */
const MIN_FILES = 30

/** Names the files that took longest at the end of a run: with them a suite that grew too slow begins. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    if (modules.length < MIN_FILES) return
    const timed = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic()
      return { name: module.relativeModuleId, seconds: (duration + collectDuration) / 1000 }
    })
    const slowest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, NAMED)
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`)
    process.stdout.write(`\n The slowest of ${modules.length} files, side by side with others\n${lines.join('\n')}\n\n`)
  }
}
