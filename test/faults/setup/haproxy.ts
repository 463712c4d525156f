import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { RunningProcess } from '../../setup/servers/processes.ts'
import { closedPort } from '../../setup/servers/sockets.ts'
import { waitFor } from '../../setup/wait-for.ts'

const HAPROXY = '/usr/sbin/haproxy'

/** HAProxy is no dependency of the project; where Debian's is installed, our configuration is tried with it. */
export const hasHaproxy = existsSync(HAPROXY)

/** For the titles of tests that are skipped. */
export const behindHaproxy = hasHaproxy ? 'behind HAProxy' : `behind HAProxy, which is not at ${HAPROXY}`

export type Haproxy = Awaited<ReturnType<typeof startHaproxy>>

/** HAProxy with exactly the configuration that operators are given, in front of two processes on this machine. */
export async function startHaproxy(first: number, second: number) {
  const [port, metricsPort] = [await closedPort(), await closedPort()]
  const haproxy = new RunningProcess([HAPROXY, '-db', '-f', 'ops/haproxy/haproxy.cfg'], {
    ...{ LISTEN: `127.0.0.1:${port}`, METRICS: `127.0.0.1:${metricsPort}` },
    // Only root may become somebody else.
    ...(process.getuid?.() === 0 ? {} : { RUN_AS: userInfo().username }),
    ...{ FIRST: `127.0.0.1:${first}`, SECOND: `127.0.0.1:${second}` },
  })
  const readMetrics = () =>
    fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
  return {
    url: `http://127.0.0.1:${port}`,
    /** Waits until these processes are taken to be ready, and no others. */
    async untilReady(...names: ('first' | 'second')[]) {
      await waitFor(async () => {
        const metrics = await readMetrics()
        const isUp = (name: string) =>
          metrics.includes(`haproxy_server_status{proxy="ready",server="${name}",state="UP"} 1`)
        const isAsWanted = ['first', 'second'].every((name) => isUp(name) === names.some((wanted) => wanted === name))
        return metrics !== '' && isAsWanted ? true : undefined
      })
    },
    [Symbol.asyncDispose]: () => haproxy[Symbol.asyncDispose](),
  }
}
